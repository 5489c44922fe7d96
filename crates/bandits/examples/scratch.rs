use bandits::registry::*;
use bandits::*;
struct R<'a>(&'a MatrixArena, u64, u64);
impl PolicyVisitor for R<'_> {
    type Output = (Recorder, Option<Arm>);
    fn visit<P: Policy + Send>(self, mut p: P) -> Self::Output {
        let mut g = Generators::from_seed(self.2);
        let mut r = Recorder::new(one_two_five(self.1));
        let mut a = self.0.clone();
        play(&mut p, &mut a, self.1, &mut g, &mut r);
        (r, p.best(&mut g.policy))
    }
}
fn main() {
    let a = MatrixArena::new(problems::cyclic().unwrap()).unwrap();
    let s: Spec = "mdb".parse().unwrap();
    let mut wrong = 0;
    for seed in 0..200 {
        let (r, b) = s.visit(4, 1_000_000, R(&a, 1_000_000, seed)).unwrap();
        if b != Some(Arm(0)) {
            wrong += 1;
            println!(
                "{seed} {b:?} {:?}",
                r.curve()
                    .iter()
                    .map(|c| c.average as u64)
                    .collect::<Vec<_>>()
            );
        }
    }
    println!("{wrong}");
}
