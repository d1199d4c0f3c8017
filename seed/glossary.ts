/**
 * The demo glossary: sixty terms of translational research and drug development, and those of a site's own subject, with
 * at most 250 characters each.
 */
import type { SiteKey } from '../app/config/brands.ts'
import type { Ctx } from '../app/services/context.ts'
import { createGlossaryTerms } from '../app/services/glossary/glossary.server.ts'

type Term = [name: string, definition: string]

const terms: Term[] = [
  [
    'Accelerated approval',
    'Approval of a medicine for a serious condition on a surrogate endpoint that is reasonably likely to predict benefit. The sponsor must go on to confirm the benefit, and approval can be withdrawn if the confirmation fails.',
  ],
  [
    'ADME',
    'Absorption, distribution, metabolism and excretion: the four things a body does to a drug. Together they decide how much of a dose reaches its target, and for how long.',
  ],
  [
    'Adverse event',
    'Any unwanted medical occurrence in a person who was given a product, whether or not the product caused it. Whether it did is a separate judgment, made for each event.',
  ],
  [
    'Affinity',
    'How tightly a molecule binds to its target, usually given as a dissociation constant. A low constant means that half of the target is occupied at a low concentration.',
  ],
  [
    'Agonist',
    'A molecule that binds to a receptor and switches it on. A partial agonist cannot produce the full response, however high its concentration.',
  ],
  [
    'Antagonist',
    'A molecule that binds to a receptor without switching it on, and so keeps other molecules from doing it.',
  ],
  [
    'Assay',
    'A test that measures the presence, amount or activity of something under conditions that another laboratory can repeat. A good one keeps signal and noise far apart.',
  ],
  [
    'AUC',
    'Area under the curve: the total exposure to a drug, taken from its concentration in plasma over time. Twice the clearance halves it.',
  ],
  [
    'Bioavailability',
    'The share of a dose that reaches the circulation unchanged. A dose into a vein has 100 percent by definition; a tablet loses some in the gut and in the liver.',
  ],
  [
    'Bioequivalence',
    'Two products are bioequivalent when rate and extent of absorption agree within set limits. It lets a generic rely on the trials of the original.',
  ],
  [
    'Biomarker',
    'A measured characteristic that indicates a normal process, a disease, or a response to treatment. It does not have to be anything that a patient feels.',
  ],
  [
    'Blinding',
    'Keeping patients, investigators or assessors from knowing who gets which treatment. It protects the comparison from expectations.',
  ],
  [
    'Cmax',
    'The highest concentration that a drug reaches in plasma after a dose. Some harms follow the peak rather than the total exposure.',
  ],
  [
    'Clearance',
    'The volume of plasma that is freed of drug in a unit of time. With the dose rate it sets the concentration at steady state.',
  ],
  [
    'Clinical equipoise',
    'Honest uncertainty among experts about which of two treatments is better. It is what makes it fair to let chance assign them.',
  ],
  [
    'Companion diagnostic',
    'A test that tells for whom a particular medicine is likely to work or to be safe. The two are developed, and often approved, together.',
  ],
  [
    'Confidence interval',
    'A range of values for an effect that fits the data. Of many such intervals at the 95 percent level, 95 in 100 would hold the true value.',
  ],
  [
    'CYP enzymes',
    'A family of liver enzymes that oxidize most medicines. When one drug blocks the enzyme that clears another, the exposure to the other rises.',
  ],
  [
    'Data monitoring committee',
    'Independent experts who look at the unblinded data of a running trial and advise whether it should go on, change or stop.',
  ],
  [
    'Dose escalation',
    'Raising the dose in steps from one small group to the next. Each step is taken only when the safety of the last one has been reviewed.',
  ],
  [
    'Dose-limiting toxicity',
    'A harm, defined before the trial, that is serious enough to stop a further increase of the dose.',
  ],
  [
    'Dose-response curve',
    'Effect drawn against dose, commonly on a logarithmic scale. Its height gives the maximal effect, its midpoint the potency, and its slope how steeply the effect rises with the dose.',
  ],
  [
    'Druggability',
    'Whether a target has a place where a medicine could bind and change what it does. A protein can matter in a disease and still offer none.',
  ],
  [
    'EC50',
    'The concentration that gives half of the maximal effect. It compares the potency of compounds in one assay, and says nothing about how large their effect is.',
  ],
  [
    'Efficacy',
    'Whether a treatment works under the conditions of a trial. How well it works in everyday care is its effectiveness, and often less.',
  ],
  [
    'Endpoint',
    'The outcome that a trial is designed to measure, with how and when it is measured. The primary endpoint carries the conclusion. In titration: the moment when the color turns.',
  ],
  [
    'Estimand',
    'A precise statement of the treatment effect that a trial will estimate: population, treatments, variable, summary, and what is made of people who stop or switch.',
  ],
  [
    'First in human',
    'The first trial that gives a new compound to people. A few volunteers receive small doses that were derived from animal data, one group after another.',
  ],
  [
    'Formulation',
    'What turns a compound into something that can be given: tablet, solution, capsule, injection. It decides how fast and how reliably the drug is released.',
  ],
  [
    'GCP',
    'Good Clinical Practice: the international standard for how trials are designed, run, recorded and reported, so that people are protected and data can be trusted.',
  ],
  [
    'GLP',
    'Good Laboratory Practice: rules for how non-clinical safety studies are planned, done and archived, so that an inspector can reconstruct them years later.',
  ],
  [
    'Half-life',
    'The time in which the concentration of a drug falls by half. After about five half-lives of regular dosing the steady state is reached.',
  ],
  [
    'High-throughput screening',
    'Testing many thousands of compounds in miniature, by robots, to find the few that act on a target. Most first hits turn out to be artifacts.',
  ],
  [
    'Hit',
    'A compound that shows activity in a screen and shows it again when it is tested once more, in a fresh sample and another assay.',
  ],
  [
    'IC50',
    'The concentration of an inhibitor that cuts a response by half. It depends on the assay, so that values from different ones cannot simply be compared.',
  ],
  [
    'IL-1β',
    'Interleukin-1 beta, a signaling protein of the innate immune system that drives fever and inflammation. Antibodies against it treat several inflammatory diseases.',
  ],
  [
    'IND',
    'Investigational New Drug application: the file that asks the authority in the United States for permission to begin trials in people.',
  ],
  [
    'Informed consent',
    'The decision of a person to join a trial after being told its purpose, risks and alternatives in words that she understands. It can be taken back at any time.',
  ],
  [
    'Intention to treat',
    'Analyzing everybody in the group to which chance assigned them, whatever they took in the end. It keeps the comparison as fair as the randomization made it.',
  ],
  [
    'Intercurrent event',
    'Something after the start of treatment that changes what an outcome means, such as stopping, rescue medication or death. The estimand says how each is handled.',
  ],
  [
    'Lead compound',
    'A hit that has been improved far enough to be worth a full program of optimization: potent, selective, and with properties that can be repaired.',
  ],
  [
    'Mechanism of action',
    'The chain of events by which a medicine has its effect, from binding its target to what changes for the patient.',
  ],
  [
    'Minimal clinically important difference',
    'The smallest change in an outcome that patients notice as a benefit. A trial that is large enough can find differences well below it.',
  ],
  [
    'NOAEL',
    'No observed adverse effect level: the highest dose in an animal study without harm that matters. The first dose for people is set well below it.',
  ],
  [
    'Off-target effect',
    'What a compound does by acting on something other than its target. It may explain a harm, or a benefit for which the target gets the credit.',
  ],
  [
    'Orphan drug',
    'A medicine for a rare disease. Because so few patients could never pay for its development, laws grant it lower fees, tax credits, advice and years without competition.',
  ],
  ['Pharmacodynamics', 'What a drug does to the body: effect against concentration, and effect against time.'],
  [
    'Pharmacokinetics',
    'What the body does to a drug: concentration against time after a dose, described by absorption, distribution, metabolism and excretion.',
  ],
  [
    'Pharmacovigilance',
    'Finding, judging and preventing harm from medicines, from the first trial to the years after approval. Rare harms show only when very many people are treated.',
  ],
  [
    'Placebo',
    'A treatment that looks like the real one without its active substance. It shows what would have happened with all the care and none of the drug.',
  ],
  [
    'Potency',
    'The amount of a drug that is needed for a given effect. A more potent drug needs less; it does not necessarily do more.',
  ],
  [
    'Randomization',
    'Letting chance decide who gets which treatment. It makes the groups alike on average in everything, including what nobody has thought of measuring.',
  ],
  [
    'Real-world evidence',
    'Conclusions about use, benefit or harm drawn from records of ordinary care. It covers people whom trials leave out, and lacks their randomization.',
  ],
  [
    'Selectivity',
    'How much more strongly a compound acts on its target than on its relatives. It is given as a ratio, and holds only for what was tested.',
  ],
  [
    'Serious adverse event',
    'An adverse event that is fatal or life-threatening, leads to hospitalization, disability or a birth defect, or is otherwise medically important. The investigator reports it to the sponsor at once.',
  ],
  [
    'Surrogate endpoint',
    'A measurement that stands in for how patients feel, function or survive, such as blood pressure for stroke. It must be shown to predict what it stands for.',
  ],
  [
    'Target product profile',
    'One page that says what a medicine must be to deserve its development: for whom, how given, how effective, how safe. Decisions are measured against it.',
  ],
  [
    'Target validation',
    'Evidence that changing a particular molecule in the body would change the disease. The strongest comes from human genetics and from medicines that act there.',
  ],
  [
    'Therapeutic index',
    'The distance between the exposure that helps and the exposure that harms. Where it is narrow, levels in the blood have to be watched.',
  ],
  [
    'Z-prime',
    'A figure for the quality of an assay, from the means and spreads of its two controls. Above 0.5 single measurements can be told apart; near zero they cannot.',
  ],
]

const ownTerms: Partial<Record<SiteKey, Term[]>> = {
  ns: [
    [
      'Abuse potential',
      'How likely a medicine is to be taken for its pleasant effects on the mind. It is judged step by step, from receptors to people who rate how much they like it.',
    ],
    [
      'Antisense oligonucleotide',
      'A short strand that binds to the RNA of one gene and changes what is made from it. For the nervous system it is mostly injected into the fluid around the spinal cord.',
    ],
    [
      'Blood-brain barrier',
      'The wall of brain capillaries: cells sealed to one another, with pumps that return many molecules to the blood. It decides what reaches the brain, and how much of it.',
    ],
    [
      'Cerebrospinal fluid',
      'The fluid around brain and spinal cord. Taken with a needle from the lower back, it shows proteins of the brain, and roughly how much of a drug is free there.',
    ],
    [
      'C-SSRS',
      'Columbia Suicide Severity Rating Scale: a structured interview on wishes to be dead, thoughts, plans and acts. In many trials it is held at each visit, with everybody.',
    ],
    [
      'Disease modification',
      'An effect on the disease itself, not only on its symptoms: people lose function more slowly, and those who begin the treatment later do not catch up.',
    ],
    [
      'Intrathecal',
      'Given into the fluid around the spinal cord. It goes around the blood-brain barrier, with a needle instead of a tablet.',
    ],
    [
      'Kp,uu',
      'The unbound concentration in the brain divided by the unbound one in plasma. Near 1 the barrier does not hinder the compound; well below 1, something removes it.',
    ],
    [
      'MMRM',
      'Mixed model for repeated measures: an analysis that uses every visit there was and fills in none. It assumes that those who left would have gone on like similar people who stayed.',
    ],
    [
      'Neurofilament light chain',
      'A part of the scaffold of axons, called NfL for short. When axons are damaged, it rises in the spinal fluid and in blood. It shows that there is damage, not its cause.',
    ],
    [
      'P-glycoprotein',
      'A pump in the wall of the gut, of brain capillaries and elsewhere. It throws many compounds back out of the cell, and keeps them from the brain.',
    ],
    [
      'PET',
      'Positron emission tomography: pictures of where a trace of a labeled molecule is. Before and after a dose, they show how many receptors the medicine has taken.',
    ],
    [
      'Placebo response',
      'All improvement in the placebo group: chance, the natural course, care and expectation. The larger it is, the harder it is to see what the medicine adds.',
    ],
    [
      'Receptor occupancy',
      'The share of a target to which a drug is bound. In the brain it is measured with PET, and it tells whether a failed trial had tested the idea at all.',
    ],
  ],
}

/** Creates the terms that the site does not have yet. */
export async function seedGlossary(ctx: Ctx): Promise<void> {
  const all = [...terms, ...(ownTerms[ctx.site.key] ?? [])]
  await createGlossaryTerms(ctx, { terms: all.map(([name, definition]) => ({ name, definition })) })
}
