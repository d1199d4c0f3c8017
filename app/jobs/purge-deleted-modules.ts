export { purgeDeletedModules } from '~/services/modules/modules.server.ts'
