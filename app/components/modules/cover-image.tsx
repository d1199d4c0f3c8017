import { coverAddress } from '~/lib/cover.ts'
import { useShell } from '../layout/shell.ts'
import type { ModuleView } from './module-view.ts'

/** Decoration: the name stands beside it. */
export function CoverImage({
  module,
  isFirst = false,
}: {
  module: Pick<ModuleView, 'name' | 'phase'>
  isFirst?: boolean
}) {
  const { palette } = useShell().brand
  return (
    <img
      src={coverAddress(module.name, module.phase ?? 'discover', palette)}
      width="640"
      height="360"
      alt=""
      loading={isFirst ? undefined : 'lazy'}
      decoding="async"
    />
  )
}
