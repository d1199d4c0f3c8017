/**
 * Who may import what (docs/architecture.md). tests/architecture.test.ts runs it. Each domain may call only what stands before it; a new one is
 * added here.
 */
const levels = [
  ['sites', 'limits', 'queue', 'storage', 'mail', 'audit', 'figures'],
  ['access', 'bulk', 'events', 'sections', 'institutions', 'tags', 'questionnaire', 'sessions', 'uploads', 'search', 'xapi', 'drafts'],
  ['users', 'packages', 'glossary', 'films', 'settings'],
  ['accounts', 'modules', 'lectures', 'videos'],
  ['invitations', 'courses'],
  ['progress', 'favorites'],
  ['audiences'],
  ['assignments', 'announcements', 'schedule', 'checks', 'previews'],
  ['cmi5', 'history', 'trash'],
  ['read', 'erasure', 'reports'],
]
/** Within a level these calls are part of the order. */
const beside = {
  audit: ['sites', 'limits'],
  mail: ['queue', 'audit'],
  events: ['access'],
  uploads: ['access'],
  search: ['access'],
  tags: ['access', 'search', 'questionnaire'],
  limits: ['sites'],
  queue: ['sites'],
  figures: ['sites'],
  sessions: ['questionnaire'],
  erasure: ['reports'],
}

const domainRules = levels.flatMap((domains, level) =>
  domains.map((domain) => {
    const allowed = [domain, ...levels.slice(0, level).flat(), ...(beside[domain] ?? [])]
    return {
      name: `domain-order-${domain}`,
      severity: 'error',
      from: { path: `^app/services/${domain}/` },
      to: { path: '^app/services/[^/]+/', pathNot: `^app/services/(${allowed.join('|')})/` },
    }
  }),
)

/** A domain's other files are private: only its door is for others. */
const doorRules = levels.flat().map((domain) => ({
  name: `door-of-${domain}`,
  severity: 'error',
  from: { path: '^(app|server|db|seed)/', pathNot: `^app/services/${domain}/` },
  to: { path: `^app/services/${domain}/(queries\\.server|writes\\.server|policy)\\.ts$` },
}))

const layer = (name, from, allowed) => ({
  name: `layer-${name}`,
  severity: 'error',
  from: { path: from },
  to: { path: '^(app|db|server|migrations)/', pathNot: `^app/(lib|config|${allowed})` },
})

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'nobody-imports-routes', severity: 'error', from: { pathNot: '^app/routes/' }, to: { path: '^app/routes/' } },
    layer('routes', '^app/routes/', '(routes|pages|http|forms|components|browser|services)/'),
    layer('pages', '^app/pages/', '(pages|http|forms|components|services)/'),
    layer('edge', '^app/edge/', '(edge|http|graphql|forms|services)/'),
    layer('graphql', '^app/graphql/', '(graphql|forms|services)/'),
    layer('jobs', '^app/jobs/', '(jobs|forms|services)/'),
    layer('http', '^app/http/', '(http|forms|services)/|browser/remix-internals\\.ts'),
    layer('components', '^app/components/', '(components|browser|forms)/'),
    layer('browser', '^app/browser/', '(browser|forms)/'),
    layer('forms', '^app/forms/', 'forms/'),
    layer('lib', '^app/lib/', 'lib/'),
    {
      name: 'services-import',
      severity: 'error',
      from: { path: '^app/services/' },
      to: { path: '^(app|server|migrations)/', pathNot: '^app/(lib|config|forms|services)/' },
    },
    {
      name: 'db-stands-below-services',
      severity: 'error',
      from: { path: '^db/' },
      to: { path: '^(app|seed|server)/', pathNot: '^app/(lib|config)/' },
    },
    {
      name: 'seeds-call-services',
      severity: 'error',
      from: { path: '^seed/' },
      to: { path: '^(app|server)/', pathNot: '^app/(lib|config|forms|services)/' },
    },
    {
      name: 'runtime-imports-are-dependencies',
      severity: 'error',
      from: { path: '^(app|db|migrations|seed|server)/', pathNot: '^(seed/player/|db/generate-types)' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-seeds',
      severity: 'error',
      from: { path: '^(app|db|migrations)/' },
      to: { path: '^seed/' },
    },
    {
      name: 'sql-in-services-only',
      severity: 'error',
      from: { path: '^app/', pathNot: '^app/services/' },
      to: { path: 'node_modules/(kysely|pg)/' },
    },
    {
      name: 'pages-import-no-server-code',
      severity: 'error',
      from: { path: '^app/(components|browser|forms)/' },
      to: { path: '\\.server\\.tsx?$' },
    },
    {
      name: 'learners-load-no-console-libraries',
      severity: 'error',
      from: { path: '^app/(root|entry\\.client|browser|routes/_(learn|auth|public)|components/(layout|ui|modules|progress))' },
      to: {
        path: 'node_modules/(@headlessui|zod|remix-validated-form|ag-grid|@milkdown|@dnd-kit)',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'learners-load-no-editor',
      severity: 'error',
      from: { path: '^app/(root|entry\\.client|browser|routes/_(learn|auth|public)|components/(layout|ui|modules|progress))' },
      to: { path: '^app/components/console/markdown', reachable: true },
    },
    ...domainRules,
    ...doorRules,
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
}
