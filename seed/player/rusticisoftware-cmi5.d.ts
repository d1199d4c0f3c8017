declare module '@rusticisoftware/cmi5' {
  type Statement = { object?: unknown; result?: unknown }
  export default class Cmi5 {
    constructor(launchAddress: string)
    start(): Promise<void>
    terminate(): Promise<unknown>
    completed(): Promise<unknown>
    passed(score: { scaled: number }): Promise<unknown>
    failed(score: { scaled: number }): Promise<unknown>
    prepareStatement(verbId: string): Statement
    sendStatement(statement: Statement): Promise<unknown>
    getActivityId(): string
    getActor(): unknown
    getAuth(): string
    getEndpoint(): string
    getLaunchMode(): string
    getMasteryScore(): number | undefined
    getRegistration(): string
    getReturnURL(): string | undefined
  }
}
