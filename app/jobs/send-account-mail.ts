export { sendAccountMail } from '~/services/accounts/account-mails.server.ts'
