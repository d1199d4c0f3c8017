import { Icon } from '../../ui/icon.tsx'
import { StatusChip } from '../status-chip.tsx'
import type { VersionView } from './module-view.ts'

/** Every package that the module has had: who brought it when, and the zip as it came. */
export function VersionList({ versions }: { versions: VersionView[] }) {
  return (
    <section aria-labelledby="versions" className="versions">
      <h3 id="versions">Versions</h3>
      <ul>
        {versions.map((version) => (
          <li key={version.uid}>
            <span className="num">{version.label}</span>
            <VersionChip version={version} />
            <span className="what">
              {version.author ?? 'Imported'}, {version.changedOn}
              {version.publishedOn && <span className="muted">, published {version.publishedOn}</span>}
            </span>
            {version.file && (
              <a className="btn btn--quiet" href={version.file.address} download>
                <Icon name="download" />
                Download<span className="sr-only"> {version.file.name}</span>
                <span className="muted num">{version.file.size}</span>
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Only the latest is a draft: what was live once was replaced, and what never was is superseded by the one that came after it. */
function VersionChip({ version }: { version: VersionView }) {
  if (version.package?.status === 'error') return <StatusChip status="error" />
  if (version.status === 'published' || version.isLatest) return <StatusChip status={version.status} />
  return <StatusChip status="draft" label={version.publishedOn === null ? 'Superseded' : 'Replaced'} />
}
