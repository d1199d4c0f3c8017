export type SiteKey = 'institutional' | 'ns'

/** Design and wording of one brand. Components get a Brand as a value and never ask which one it is. */
export type Brand = {
  /** The value of `data-brand` on <html>, which chooses the palette. */
  palette: 'titrate' | 'ns'
  name: string
  /** The small letters after the word mark; empty without any. */
  suffix: string
  welcome: string
  tagline: string
  supportEmail: string
  assignedLabel: string
  assignVerb: string
  /** `figure` is the drawing beside the auth pages. */
  signIn: { header: string; description: string; figure: 'titration' | 'impulse' }
  defaultUniversity: string
  subsidizedPlan: string
  socialLinks: { name: string; icon: 'linkedin' | 'youtube' | 'bluesky'; href: string }[]
}

export const brands: Record<SiteKey, Brand> = {
  institutional: {
    palette: 'titrate',
    name: 'Titrate',
    suffix: '',
    welcome: 'From the bench to the bedside',
    tagline: 'Titrate is a learning platform for translational research and drug development.',
    supportEmail: 'support@titrate.example',
    assignedLabel: 'Assigned',
    assignVerb: 'Assign',
    signIn: {
      header: 'The long line, and the one drop that changes everything.',
      description: 'Courses, modules and lectures on how a finding becomes a medicine.',
      figure: 'titration',
    },
    defaultUniversity: 'Titrate Institute',
    subsidizedPlan: 'Institute Access',
    socialLinks: [
      { name: 'LinkedIn', icon: 'linkedin', href: 'https://www.linkedin.com/company/titrate-example' },
      { name: 'YouTube', icon: 'youtube', href: 'https://www.youtube.com/@titrate-example' },
      { name: 'Bluesky', icon: 'bluesky', href: 'https://bsky.app/profile/titrate.example' },
    ],
  },
  ns: {
    palette: 'ns',
    name: 'Titrate NS',
    suffix: 'NS',
    welcome: 'Drug development for neuroscience teams',
    tagline: 'Titrate NS is a learning platform for drug development in the neurosciences.',
    supportEmail: 'help@ns.titrate.example',
    assignedLabel: 'Recommended',
    assignVerb: 'Recommend',
    signIn: {
      header: 'Every therapy starts as one careful measurement.',
      description: 'Learn the way from target to trial, with modules and lectures on the nervous system.',
      figure: 'impulse',
    },
    defaultUniversity: 'Titrate NS Network',
    subsidizedPlan: 'Network Access',
    socialLinks: [
      { name: 'LinkedIn', icon: 'linkedin', href: 'https://www.linkedin.com/company/titrate-ns-example' },
      { name: 'YouTube', icon: 'youtube', href: 'https://www.youtube.com/@titrate-ns-example' },
      { name: 'Bluesky', icon: 'bluesky', href: 'https://bsky.app/profile/ns.titrate.example' },
    ],
  },
}
