export { deleteExpiredSessions } from '~/services/sessions/sessions.server.ts'
