export { sendInvitationMail } from '~/services/invitations/invitations.server.ts'
