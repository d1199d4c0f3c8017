/** Launches a unit as a program would and sends statements for it. */
const launchQuery = `query ($version: ID!) {
  moduleLaunchInfo(moduleVersionUid: $version) { error launchUrl }
}`

type Listed = { latestVersion: { uid: string } | null }

/** `module` counts from the first that the learner can open. Opens the unit that the module would open by itself. */
export async function fetchUnit({ port }: { port: number }, who: { sessionId: string; module?: number }) {
  const origin = `http://localhost:${port}`
  const cookie = `titrate_session=${who.sessionId}`
  let token = (await fetch(`${origin}/graphql/csrf/`, { headers: { cookie } })).headers.get('x-csrftoken') ?? ''
  const run = async (query: string, variables: object = {}) => {
    const answer = await fetch(`${origin}/graphql/`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', 'x-csrftoken': token },
      body: JSON.stringify({ query, variables }),
    })
    token = answer.headers.get('x-csrftoken') ?? token
    // biome-ignore lint/suspicious/noExplicitAny: whatever was asked for
    return (await answer.json()) as { data: any; errors?: { message: string }[] }
  }
  const { data } = await run('{ modules(first: 20) { edges { node { latestVersion { uid } } } } }')
  const versions = data.modules.edges.flatMap(({ node }: { node: Listed }) => node.latestVersion?.uid ?? [])
  const version = versions[who.module ?? 0]
  const launch = (await run(launchQuery, { version })).data.moduleLaunchInfo
  if (launch.error) throw new Error(launch.error)
  const parameters = new URL(launch.launchUrl).searchParams
  const fetched = await fetch(parameters.get('fetch') ?? '', { method: 'POST' })
  const { 'auth-token': authToken } = (await fetched.json()) as { 'auth-token': string }
  const headers = { authorization: `Basic ${authToken}`, 'x-experience-api-version': '1.0.3' }
  const actor = JSON.parse(parameters.get('actor') ?? '{}')
  const activityId = parameters.get('activityId')
  const registration = parameters.get('registration')
  const endpoint = `${(parameters.get('endpoint') ?? '').replace(/\/$/, '')}`
  const stateQuery = new URLSearchParams({
    stateId: 'LMS.LaunchData',
    activityId: activityId ?? '',
    agent: JSON.stringify(actor),
    registration: registration ?? '',
  })
  const state = await fetch(`${endpoint}/activities/state?${stateQuery}`, { headers })
  const { contextTemplate } = (await state.json()) as { contextTemplate: { extensions: object } }
  /** A statement with this id; a cmi5 defined one needs its categories. */
  const statement = (id: string, verb = 'http://adlnet.gov/expapi/verbs/experienced', categories: object[] = []) => ({
    id,
    actor,
    verb: { id: verb },
    object: { objectType: 'Activity', id: activityId },
    context: {
      ...contextTemplate,
      registration,
      contextActivities: {
        ...(contextTemplate as { contextActivities?: object }).contextActivities,
        category: categories,
      },
    },
    timestamp: new Date().toISOString(),
  })
  await fetch(
    `${endpoint}/agents/profile?${new URLSearchParams({ profileId: 'cmi5LearnerPreferences', agent: JSON.stringify(actor) })}`,
    { headers },
  )
  const initialized = await fetch(`${endpoint}/statements`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(
      statement(crypto.randomUUID(), 'http://adlnet.gov/expapi/verbs/initialized', [
        { id: 'https://w3id.org/xapi/cmi5/context/categories/cmi5' },
      ]),
    ),
  })
  if (!initialized.ok) throw new Error(`initialized was refused: ${await initialized.text()}`)
  return { endpoint, headers, run, statement }
}
