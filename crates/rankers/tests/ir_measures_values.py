"""Prints the values of measures by ir_measures, for tests/all/measures.rs.

Usage: python ir_measures_values.py QRELS RUN... -- MEASURE...
Needs ir_measures and cwl-eval. Prints lines of run file, measure, query (or `all`) and value, separated by tabs.

Two measures are spelt out here, because ir_measures has them from other programs than trec_eval:
* RR@k, from that of MS MARCO, orders tied documents by ascending document number; RR, cut off at k, as trec_eval does.
* nDCG(dcg='exp-log2') needs a Perl script that rounds; gains of 2^label - 1 are the same measure.
"""

import math
import re
import sys

import ir_measures
from ir_measures import RR, nDCG, parse_measure

GAINS = {label: 2**label - 1 for label in range(5)}


def main(arguments):
    files, names = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    qrels = list(ir_measures.read_trec_qrels(files[0]))
    queries = sorted({judgment.query_id for judgment in qrels})
    for file in files[1:]:
        # cwl-eval leaves ties in the order of lines: here, that of trec_eval.
        run = sorted(ir_measures.read_trec_run(file), key=lambda line: line.doc_id, reverse=True)
        run.sort(key=lambda line: line.query_id)
        for name in names:
            cut_rr = re.fullmatch(r"RR(\(rel=\d+\))?@(\d+)", name)
            exponential = re.fullmatch(r"nDCG\(dcg='exp-log2'\)(@(\d+))?", name)
            if cut_rr:
                measure = parse_measure("RR" + (cut_rr[1] or ""))
            elif exponential:
                measure = nDCG(gains=GAINS)
                measure = measure @ int(exponential[2]) if exponential[2] else measure
            else:
                measure = parse_measure(name)
            values = dict.fromkeys(queries, 0.0)
            for metric in measure.iter_calc(qrels, run):
                values[metric.query_id] = metric.value
            if cut_rr:
                cutoff = int(cut_rr[2])
                values = {q: v if v > 0 and round(1 / v) <= cutoff else 0.0 for q, v in values.items()}
            else:
                mean = measure.calc_aggregate(qrels, run)
                assert math.isclose(mean, sum(values.values()) / len(values), abs_tol=1e-12), (name, mean)
            values["all"] = sum(values.values()) / len(queries)
            for query, value in values.items():
                print(file, name, query, repr(float(value)), sep="\t")


main(sys.argv[1:])
