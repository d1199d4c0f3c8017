/** The types of xAPI after validation. Input is `unknown` until validate.ts has checked it. */
export type XapiVersion = '1.0.3' | '2.0.0'

export type LanguageMap = Record<string, string>
export type Extensions = Record<string, unknown>

export type Account = { homePage: string; name: string }

export type Agent = {
  objectType?: 'Agent'
  name?: string
  mbox?: string
  mbox_sha1sum?: string
  openid?: string
  account?: Account
}

export type Group = Omit<Agent, 'objectType'> & { objectType: 'Group'; member?: Agent[] }

export type Actor = Agent | Group

export type Verb = { id: string; display?: LanguageMap }

export type InteractionComponent = { id: string; description?: LanguageMap }

export type ActivityDefinition = {
  name?: LanguageMap
  description?: LanguageMap
  type?: string
  moreInfo?: string
  extensions?: Extensions
  interactionType?: string
  correctResponsesPattern?: string[]
  choices?: InteractionComponent[]
  scale?: InteractionComponent[]
  source?: InteractionComponent[]
  target?: InteractionComponent[]
  steps?: InteractionComponent[]
}

export const componentLists = ['choices', 'scale', 'source', 'target', 'steps'] as const

export type Activity = { objectType?: 'Activity'; id: string; definition?: ActivityDefinition }
export type StatementRef = { objectType: 'StatementRef'; id: string }
export type SubStatement = Omit<Statement, 'id' | 'stored' | 'version' | 'authority' | 'object'> & {
  objectType: 'SubStatement'
  object: Activity | Actor | StatementRef
}
export type StatementObject = Activity | Actor | StatementRef | SubStatement

export type Score = { scaled?: number; raw?: number; min?: number; max?: number }

export type Result = {
  score?: Score
  success?: boolean
  completion?: boolean
  response?: string
  duration?: string
  extensions?: Extensions
}

export const contextActivityKinds = ['parent', 'grouping', 'category', 'other'] as const
type ContextActivities = Partial<Record<(typeof contextActivityKinds)[number], Activity[]>>

export type Context = {
  registration?: string
  instructor?: Actor
  team?: Group
  contextActivities?: ContextActivities
  contextAgents?: { objectType: 'contextAgent'; agent: Agent; relevantTypes?: string[] }[]
  contextGroups?: { objectType: 'contextGroup'; group: Group; relevantTypes?: string[] }[]
  revision?: string
  platform?: string
  language?: string
  statement?: StatementRef
  extensions?: Extensions
}

export type Attachment = {
  usageType: string
  display: LanguageMap
  description?: LanguageMap
  contentType: string
  length: number
  sha2: string
  fileUrl?: string
}

export type Statement = {
  id?: string
  actor: Actor
  verb: Verb
  object: StatementObject
  result?: Result
  context?: Context
  timestamp?: string
  stored?: string
  authority?: Actor
  version?: string
  attachments?: Attachment[]
}

/** A statement as it is stored, with everything that an LRS fills in (xAPI 1.0.3 data 2.4). */
export type StoredStatement = Statement & {
  id: string
  timestamp: string
  stored: string
  authority: Actor
  version: string
}

export const voidedVerb = 'http://adlnet.gov/expapi/verbs/voided'
