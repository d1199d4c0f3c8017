import { coverAddress } from '~/lib/cover.ts'
import { useShell } from '../layout/shell.ts'
import type { ModuleView } from './view.ts'

/**
 * The uploaded cover with its description, or else a drawing. The drawing is decoration, because the name is beside it.
 */
export function CoverImage({
  module,
  isFirst = false,
}: {
  module: Pick<ModuleView, 'name' | 'phase' | 'cover'>
  isFirst?: boolean
}) {
  const { palette } = useShell().brand
  return (
    <img
      src={module.cover?.address ?? coverAddress(module.name, module.phase ?? 'discover', palette)}
      width="640"
      height="360"
      alt={module.cover?.alt ?? ''}
      loading={isFirst ? undefined : 'lazy'}
      decoding="async"
    />
  )
}
