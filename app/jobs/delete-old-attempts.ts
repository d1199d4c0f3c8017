export { deleteOldAttempts } from '~/services/limits/limits.server.ts'
