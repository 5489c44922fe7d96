#!/bin/bash
# A private Slurm on this machine, from Debian's packages but without installing anything: for tests.
#
#   source cluster/slurm.sh          defines the functions below; needs SLURM_HOME, an empty folder or one used before
#   slurm_fetch                      downloads and unpacks the packages (Debian, Ubuntu), once
#   slurm_start NODES CPUS           starts munged, slurmctld and as many slurmd, which play the nodes n1, n2, ...
#   slurm_kill_node NAME             ends a slurmd and all that runs on it, as if its machine had lost power
#   slurm_stop                       ends everything
#
# After slurm_start, sbatch, squeue, scontrol and scancel on the PATH are those of the private Slurm.

SLURM_PACKAGES="libhwloc15 liblua5.1-0 libmunge2 munge slurm-wlm-basic-plugins slurm-client slurmctld slurmd"

slurm_fetch() {
    [ -x "$SLURM_HOME/root/usr/sbin/slurmctld-wlm" ] && return 0
    command -v apt-get > /dev/null && command -v dpkg > /dev/null || return 1
    mkdir -p "$SLURM_HOME/debs" "$SLURM_HOME/root"
    # shellcheck disable=SC2086
    (cd "$SLURM_HOME/debs" && apt-get download $SLURM_PACKAGES > "$SLURM_HOME/fetch.log" 2>&1) || return 1
    local package
    for package in "$SLURM_HOME"/debs/*.deb; do dpkg -x "$package" "$SLURM_HOME/root" || return 1; done
}

slurm_start() {
    local nodes=$1 cpus=$2 root="$SLURM_HOME/root" run="$SLURM_HOME/run" host libraries node
    host=$(hostname -s)
    libraries="$root/usr/lib/$(uname -m)-linux-gnu"
    SLURM_LIBRARIES="$libraries:$libraries/slurm-wlm"
    rm -rf "$run"
    mkdir -p "$run/state" "$run/log" "$run/munge" "$run/bin"
    export SLURM_CONF="$run/slurm.conf"
    # The libraries are those of the packages for Slurm alone: programs in jobs get them from the caller.
    local tool
    for tool in sbatch squeue scontrol scancel sinfo; do
        printf '#!/bin/bash\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$SLURM_LIBRARIES" "$root/usr/bin/$tool" > "$run/bin/$tool"
        chmod +x "$run/bin/$tool"
    done
    export PATH="$run/bin:$PATH"
    dd if=/dev/urandom of="$run/munge/key" bs=1 count=1024 status=none
    chmod 400 "$run/munge/key"
    {
        cat << CONF
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$run/munge/sock
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$run/state
SlurmdSpoolDir=$run/spool/%n
SlurmctldPidFile=$run/slurmctld.pid
SlurmdPidFile=$run/%n.pid
SlurmctldLogFile=$run/log/slurmctld
SlurmdLogFile=$run/log/%n
PluginDir=$libraries/slurm-wlm
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=10
KillWait=5
MaxArraySize=${SLURM_MAX_ARRAY:-1001}
JobRequeue=1
SlurmdParameters=config_overrides
MailProg=/bin/true
CONF
        for node in $(seq "$nodes"); do
            echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((27000 + node)) CPUs=$cpus RealMemory=2000 State=UNKNOWN"
        done
        echo "PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
    } > "$SLURM_CONF"
    LD_LIBRARY_PATH="$SLURM_LIBRARIES" "$root/usr/sbin/munged" --key-file="$run/munge/key" --socket="$run/munge/sock" \
        --pid-file="$run/munge/pid" --log-file="$run/munge/log" --seed-file="$run/munge/seed" --num-threads=1 --force || return 1
    LD_LIBRARY_PATH="$SLURM_LIBRARIES" "$root/usr/sbin/slurmctld-wlm" -f "$SLURM_CONF" -D > "$run/log/slurmctld.out" 2>&1 &
    sleep 2
    for node in $(seq "$nodes"); do slurm_start_node "n$node"; done
    for _ in $(seq 60); do
        [ "$(sinfo --noheader --Node --states=idle --format=%N 2> /dev/null | wc -l)" = "$nodes" ] && return 0
        sleep 0.5
    done
    echo "the private Slurm is not ready: see $run/log" >&2
    return 1
}

slurm_start_node() {
    local root="$SLURM_HOME/root" run="$SLURM_HOME/run"
    mkdir -p "$run/spool/$1"
    LD_LIBRARY_PATH="$SLURM_LIBRARIES" "$root/usr/sbin/slurmd-wlm" -f "$SLURM_CONF" -D -N "$1" \
        -d "$root/usr/sbin/slurmstepd-wlm" > "$run/log/$1.out" 2>&1 &
}

# The processes of a node: its slurmd, its jobs, and each slurmstepd that watches over one.
slurm_processes_of() {
    local pid parent variables
    cat "$SLURM_HOME/run/$1.pid" 2> /dev/null
    for pid in /proc/[0-9]*; do
        variables=$({ tr '\0' '\n' < "$pid/environ"; } 2> /dev/null) || continue
        grep -qx "SLURMD_NODENAME=$1" <<< "$variables" || continue
        grep -qx "SLURM_CLUSTER_NAME=private" <<< "$variables" || continue
        parent=$(awk '/^PPid:/ { print $2 }' "$pid/status" 2> /dev/null)
        case $(cat "/proc/$parent/comm" 2> /dev/null) in slurmstepd*) echo "$parent" ;; esac
        basename "$pid"
    done
}

slurm_kill_node() {
    # shellcheck disable=SC2046
    kill -9 $(slurm_processes_of "$1") 2> /dev/null || true
}

slurm_stop() {
    local run="$SLURM_HOME/run" file
    scancel --quiet --user="$(id -un)" 2> /dev/null || true
    sleep 1
    for file in "$run"/n*.pid "$run"/slurmctld.pid "$run"/munge/pid; do
        if [ -f "$file" ]; then kill "$(cat "$file")" 2> /dev/null || true; fi
    done
}
