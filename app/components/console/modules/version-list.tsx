import { Icon } from '../../ui/icon.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import type { VersionView } from './view.ts'

/** Every package that the module has had: who brought it when, and the zip as it came. An earlier one can be published again. */
export function VersionList({ moduleUid, isComingSoon, learnersToMove, versions }: Props) {
  return (
    <section aria-labelledby="versions" className="versions">
      <h3 id="versions">Versions</h3>
      <ul>
        {versions.map((version) => (
          <li key={version.uid}>
            <span className="num">{version.label}</span>
            <VersionChip version={version} isAnyLive={versions.some(({ status }) => status === 'published')} />
            <span className="what">
              {version.author ?? 'Imported'}, {version.changedOn}
              {version.publishedOn && <span className="muted">, published {version.publishedOn}</span>}
            </span>
            {canBePublished(version) && !isComingSoon && (
              <DialogLink
                className="btn btn--quiet"
                to={`/dashboard/modules/${moduleUid}/versions/${version.uid}/publish/`}
              >
                Publish {version.label}
                {version.publishedOn !== null && ' again'}
              </DialogLink>
            )}
            {canBeDiscarded(version, versions.length) && (
              <DialogLink
                className="btn btn--quiet"
                to={`/dashboard/modules/${moduleUid}/versions/${version.uid}/discard/`}
              >
                Discard {version.label}
              </DialogLink>
            )}
            {canTakeLearners(version) && learnersToMove > 0 && (
              <DialogLink
                className="btn btn--quiet"
                to={`/dashboard/modules/${moduleUid}/versions/${version.uid}/move/`}
              >
                Move learners here
              </DialogLink>
            )}
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

/** `learnersToMove`: how many are in the middle of another version than the published one. */
type Props = { moduleUid: string; isComingSoon: boolean; learnersToMove: number; versions: VersionView[] }

/** Those who start get the published version; those who are in another may follow. */
function canTakeLearners(version: VersionView): boolean {
  return version.status === 'published' && version.package?.status === 'parsed'
}

/** A package with errors, over a version that can take its place. */
function canBeDiscarded({ isLatest, package: pkg }: VersionView, count: number): boolean {
  return isLatest && pkg?.status === 'error' && count > 1
}

/** The latest has the dialog's own button. */
function canBePublished({ status, isLatest, package: pkg }: VersionView): boolean {
  return !isLatest && status === 'draft' && pkg?.status === 'parsed'
}

/**
 * Only the latest is a draft, unless an earlier one that was published again took its place: what was live once was replaced, and what never
 * was is superseded by the one that came after it.
 */
function VersionChip({ version, isAnyLive }: { version: VersionView; isAnyLive: boolean }) {
  if (version.package?.status === 'error') return <StatusChip status="error" />
  const isDraft = version.isLatest && !(version.publishedOn !== null && isAnyLive)
  if (version.status === 'published' || isDraft) return <StatusChip status={version.status} />
  return <StatusChip status="draft" label={version.publishedOn === null ? 'Superseded' : 'Replaced'} />
}
