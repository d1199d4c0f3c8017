import { Link, useLocation } from '@remix-run/react'
import { type ReactNode, useEffect, useRef } from 'react'
import { ConsoleIcon } from '../console/console-icon.tsx'
import { type ConsoleSection, findSection, groupsFor } from '../console/sections.ts'
import { Icon } from '../ui/icon.tsx'
import { ClassicBar } from './classic-bar.tsx'
import { SkipLink } from './page-frame.tsx'
import { frames, type Shell } from './shell.ts'

export function ConsoleFrame({ shell, children }: { shell: Shell; children: ReactNode }) {
  const { pathname } = useLocation()
  const here = findSection(pathname.split('/')[2])
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const link = nav.current?.querySelector('[aria-current]')
    if (nav.current && link && here) showInside(nav.current, link)
  }, [here])
  return (
    // One element under the body: a dialog makes it inert, but not the notices beside it.
    <div className="contents">
      <SkipLink />
      <ClassicBar shell={shell} isFull />
      <div className="console">
        <div className="sidebar">
          <details className="consolefold menu">
            <summary>
              {here?.label ?? 'Dashboard'}
              <Icon name="chevron" className="i--turn" />
            </summary>
            <nav ref={nav} className="consolenav" aria-label="Console">
              {groupsFor({ groups: shell.viewer?.groups ?? [], flags: shell.flags }).map((group) => (
                <div key={group.title}>
                  <h2>{group.title}</h2>
                  <ul>
                    {group.sections.map((section) => (
                      <li key={section.id}>
                        <SectionLink
                          section={section}
                          isCurrent={section.id === here?.id}
                          reason={section.whyDisabled?.({ hasOutbox: shell.viewer?.hasOutbox ?? false }) ?? null}
                        />
                      </li>
                    ))}
                  </ul>
                </div>
              ))}
            </nav>
          </details>
        </div>
        <main id="main" tabIndex={-1} className="area">
          {children}
        </main>
      </div>
    </div>
  )
}

frames.console = ConsoleFrame

/** Scrolls only the box: scrollIntoView would also scroll the page. */
function showInside(box: Element, part: Element): void {
  const [own, around] = [part.getBoundingClientRect(), box.getBoundingClientRect()]
  if (own.top >= around.top && own.bottom <= around.bottom) return
  box.scrollTop += own.top - around.top - (around.height - own.height) / 2
}

type SectionLinkProps = {
  section: ConsoleSection
  isCurrent: boolean
  /** Why the section cannot be opened; null if it can. */
  reason: string | null
}

/** A link to a section. One that is disabled has no address, so a click leads nowhere. */
export function SectionLink({ section, isCurrent, reason }: SectionLinkProps) {
  const content = (
    <>
      <ConsoleIcon name={section.icon} />
      <span>{section.label}</span>
    </>
  )
  if (reason !== null) {
    return (
      <span role="link" aria-disabled="true" tabIndex={0} title={reason}>
        {content}
      </span>
    )
  }
  return (
    <Link to={`/dashboard/${section.id}/`} aria-current={isCurrent ? 'page' : undefined}>
      {content}
    </Link>
  )
}
