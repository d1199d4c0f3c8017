/**
 * Erases people thirty days after their accounts were deleted. What each table keeps is in the data model and in the
 * Privacy Policy (config/personal-data.ts); tests/services/erasure.test.ts lists every column that is about a person.
 */
import { inTransaction } from '~db/transaction.server.ts'
import { eraseSecrets } from '../accounts/erase-secrets.server.ts'
import { eraseAssignments } from '../assignments/erase-assignments.server.ts'
import { eraseActorNames } from '../audit/erase-actor-names.server.ts'
import type { SystemCtx } from '../context.ts'
import { eraseDrafts } from '../drafts/erase-drafts.server.ts'
import { eraseEvents } from '../events/erase-events.server.ts'
import { eraseFavorites } from '../favorites/erase-favorites.server.ts'
import { eraseInvitations } from '../invitations/erase-invitations.server.ts'
import { eraseMails } from '../mail/erase-mails.server.ts'
import { eraseAnswers } from '../questionnaire/erase-answers.server.ts'
import { eraseReports } from '../reports/erase-reports.server.ts'
import { eraseSessions } from '../sessions/erase-sessions.server.ts'
import { emptyUsers, findUsersToErase } from '../users/erase-users.server.ts'
import { eraseDocuments } from '../xapi/erase-documents.server.ts'

const atOnce = 100

/**
 * Job: erases everybody who is due, a hundred in a transaction. Returns how many. It may be killed at any point and run
 * again.
 */
export async function eraseDeletedUsers(ctx: SystemCtx): Promise<number> {
  let erased = 0
  for (let count = atOnce; count === atOnce; erased += count) count = await erasePart(ctx)
  return erased
}

async function erasePart(ctx: SystemCtx): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const people = await findUsersToErase(ctx, { most: atOnce })
    if (people.length === 0) return 0
    const input = { userIds: people.map(({ id }) => id) }
    await eraseDocuments(ctx, { people })
    await eraseMails(ctx, input)
    await eraseAssignments(ctx, input)
    await eraseFavorites(ctx, input)
    await eraseInvitations(ctx, input)
    await eraseSecrets(ctx, input)
    await eraseSessions(ctx, input)
    await eraseDrafts(ctx, input)
    await eraseEvents(ctx, input)
    await eraseReports(ctx, input)
    // Groups say who was staff, so before these go.
    await eraseActorNames(ctx, input)
    await eraseAnswers(ctx, input)
    await emptyUsers(ctx, input)
    return people.length
  })
}
