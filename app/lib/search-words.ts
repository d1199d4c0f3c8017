/**
 * One form for words that mean the same: both spellings of English, abbreviations, and a few synonyms. What is indexed
 * and what is searched pass the same functions, so that it makes no difference which form an author or a learner uses.
 */

/** Raise this with every change below. The next start then indexes everything again. */
export const wordsVersion = 1

/** British and American spelling between what must stand before and after. The American one is indexed. */
const spellings: [before: string, british: string, american: string, after: string][] = [
  ['^practi', 's', 'c', '(?:e[ds]?|ing)$'],
  ['[a-z]{2}[iy]', 's', 'z', '(?:e[drs]?|ers|ing|ations?|ational|able)$'],
  ['tum|col|behavi|fav|flav|hon|lab|neighb|hum|rum|vap|od|harb|vig|endeav|rig', 'our', 'or', ''],
  ['cent|lit|fib|met|tit|calib', 're', 'er', 's?$'],
  ['cent', 'r', 'er', '(?:ed|ing)$'],
  ['label|model|signal|cancel|channel|travel|level|panel|fuel|counsel|tunnel', 'l', '', '(?:ed|ing|ers?)$'],
  ['^(?:enro|fulfi)', 'l', 'll', '(?:s?$|ment)'],
  ['(?:anal|catal|dial|homol)og', 'ue', '', 's?$'],
  ['gram', 'me', '', 's?$'],
  ['^(?:def|off|lic)en', 'c', 's', 'e[ds]?$'],
  ['^(?:judg|acknowledg)', 'e', '', 'ment'],
  ['^ag', 'e', '', 'ing$'],
  ['h', 'aem', 'em', ''],
  ['', 'aemi', 'emi', ''],
  ['p', 'aed', 'ed', ''],
  ['gyn|f|c', 'aec', 'ec', ''],
  ['^c', 'aes', 'es', ''],
  ['', 'aetiol', 'etiol', ''],
  ['an|^', 'aesth', 'esth', ''],
  ['pal|arch', 'aeo', 'eo', ''],
  ['', 'oestr', 'estr', ''],
  ['', 'oedem', 'edem', ''],
  ['', 'oesoph', 'esoph', ''],
  ['^f', 'oet', 'et', ''],
  ['rrh|pn', 'oea', 'ea', ''],
  ['^c', 'oeliac', 'eliac', ''],
  ['^am', 'oeb', 'eb', ''],
  ['^hom', 'oeo', 'eo', ''],
  ['^leu', 'c', 'k', '(?:o|em)'],
  ['', 'sulph', 'sulf', ''],
  ['^gr', 'e', 'a', 'y'],
  ['^s', 'c', 'k', 'eptic'],
  ['^art', 'e', 'i', 'fact'],
  ['^alumin', 'ium', 'um', '$'],
]

type Rule = { from: RegExp; to: string }

function rule(before: string, from: string, to: string, after: string): Rule {
  return { from: new RegExp(`(?<=${before})${from}(?=${after})`, 'g'), to }
}

const toAmerican = spellings.map(([before, british, american, after]) => rule(before, british, american, after))
const toBritish = spellings.map(([before, british, american, after]) => rule(before, american, british, after))

/** Abbreviations and other words, with what is indexed instead of them. */
const synonyms: Record<string, string> = {
  ae: 'adverse event',
  aes: 'adverse events',
  bbb: 'blood brain barrier',
  cmc: 'chemistry manufacturing and controls',
  cns: 'central nervous system',
  cro: 'contract research organization',
  csf: 'cerebrospinal fluid',
  ddi: 'drug drug interaction',
  dlt: 'dose limiting toxicity',
  dmpk: 'drug metabolism and pharmacokinetics',
  ema: 'european medicines agency',
  fda: 'food and drug administration',
  fih: 'first in human',
  gcp: 'good clinical practice',
  glp: 'good laboratory practice',
  gmp: 'good manufacturing practice',
  hts: 'high throughput screening',
  ind: 'investigational new drug',
  mab: 'monoclonal antibody',
  mabs: 'monoclonal antibodies',
  moa: 'mechanism of action',
  mtd: 'maximum tolerated dose',
  nda: 'new drug application',
  pd: 'pharmacodynamics',
  pk: 'pharmacokinetics',
  poc: 'proof of concept',
  rct: 'randomized controlled trial',
  rcts: 'randomized controlled trials',
  rwe: 'real world evidence',
  sae: 'serious adverse event',
  saes: 'serious adverse events',
  sar: 'structure activity relationship',
  analyses: 'analyze',
  analysis: 'analyze',
  paediatrics: 'pediatric',
  pediatrics: 'pediatric',
  toxicological: 'toxicity',
  toxicologist: 'toxicity',
  toxicology: 'toxicity',
}
const synonymOf = new Map(Object.entries(synonyms))

/** Removes diacritical marks, so that "Villasenor" finds "Villaseñor". */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '')
}

/** Returns the text as it is indexed. */
export function sameWords(text: string): string {
  const known = new Map<string, string>()
  return joined(fold(text)).replace(/\p{L}+\p{N}*/gu, (word) => {
    const same = known.get(word) ?? sameWord(word)
    known.set(word, same)
    return same
  })
}

/**
 * Returns a query in the same form, for `websearch_to_tsquery`: what becomes several words is searched as a phrase, and
 * quotation marks, minus signs and "or" keep their meaning.
 */
export function sameQuery(query: string): string {
  return fold(query)
    .split('"')
    .map((part, index) => {
      if (index % 2 === 1) return sameWords(part)
      return part
        .replace(/(?<=\p{L})\/(?=\p{L})/gu, ' ')
        .replace(half, halfOf)
        .replace(/\p{L}+\p{N}*(?:[-\u2010]\p{L}+\p{N}*)*/gu, (word) => {
          const same = sameWords(word)
          return same.includes(' ') ? `"${same}"` : same
        })
    })
    .join('"')
}

/** "EC 50", "EC-50" and "EC50" are one word. */
const half = /\b(ac|ec|ed|ic|ld)[ \u2010-]?50\b/gi
const halfOf = (_: string, letters: string) => `${letters.toLowerCase()}50`

/** Takes compounds apart, because PostgreSQL reads "PK/PD" as a path, and "half-life" as something else than "half life". */
function joined(text: string): string {
  return text.replace(half, halfOf).replace(/(?<=\p{L})[/\u2010-](?=\p{L})/gu, ' ')
}

function sameWord(written: string): string {
  const word = written.toLowerCase()
  // Longer ones are sequences, keys or attacks, and no words.
  if (word.length > 40) return word
  const synonym = synonymOf.get(word)
  if (synonym) return synonym
  const american = spelled(word, toAmerican)
  return synonymOf.get(american) ?? american
}

function spelled(word: string, rules: Rule[]): string {
  return rules.reduce((result, { from, to }) => result.replace(from, to), word)
}

/**
 * Returns the beginnings to look for while a word is typed: as written, and in the form that is indexed. Endings of a
 * half word are not those of a word: "randomis" and "tumou" are on their way to "randomisation" and "tumour".
 */
export function beginningsOf(word: string): string[] {
  const written = fold(word).toLowerCase()
  const same = sameWord(written)
  const half = spelled(written, toAmerican)
    .replace(/(?<=[a-z]{2}[iy])s(?=[a-z]{0,6}$)/, 'z')
    .replace(/(?<=[a-z]{2}o)u$/, '')
    .replace(/(?<=[a-z]{3}l)l$/, '')
    .replace(/(?<=^program)m$/, '')
  return [...new Set([written, ...(same.includes(' ') ? [] : [same]), half])]
}

/** Returns a text as it is and in both spellings, for lists that look for a part of a text. */
export function spellingsOf(text: string): string[] {
  const inAll = (rules: Rule[]) => text.replace(/\p{L}+/gu, (word) => (word.length > 40 ? word : spelled(word, rules)))
  return [...new Set([text, inAll(toAmerican), inAll(toBritish)])]
}

/** Returns the other forms in which what was searched for may be written, to mark them in texts. */
export function otherForms(query: string): string[] {
  const same = sameWords(query)
  const words = same.match(/\p{L}+\p{N}*/gu) ?? []
  const forms = words.map((word) => spelled(word, toBritish)).filter((form, index) => form !== words[index])
  const short = Object.entries(synonyms).filter(([, long]) => ` ${words.join(' ')} `.includes(` ${long} `))
  return [...new Set([words.join(' '), ...words, ...forms, ...short.map(([word]) => word)])]
}
