/** Deletes uploads and files that nothing has referred to for a day. Safe to repeat, and to kill at any point. */
import type { SystemCtx } from '../context.ts'
import { deleteStrayBytes, deleteUnusedFiles } from '../storage/sweep.server.ts'
import { deleteStaleUploads } from './queries.server.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Sweeps all sites: uploads that were never completed, files that no content uses, and bytes without a row. */
export async function sweepUploads(ctx: SystemCtx): Promise<{ files: number; uploads: number; strays: number }> {
  const before = new Date(ctx.now.getTime() - dayMs)
  const files = await deleteUnusedFiles(ctx, before)
  const uploads = await deleteStaleUploads(ctx, before)
  const strays = await deleteStrayBytes(ctx, before)
  return { files, uploads, strays }
}
