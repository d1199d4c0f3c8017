export { deleteExpiredTokensAndMails as deleteExpiredTokens } from '~/services/accounts/account-mails.server.ts'
