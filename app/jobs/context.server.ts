import { logger } from '~/http/log.server.ts'
import { type Ctx, systemContext } from '~/services/context.ts'
import { getSite } from '~/services/sites/sites.server.ts'
import { database } from '~db/instance.server.ts'

/** A job acts for nobody; services that need a site take it from the row that the job names. */
export async function jobContext(): Promise<Ctx> {
  const { db } = database()
  return systemContext({ db, site: await getSite(db, 'institutional'), log: logger() })
}
