import { Link } from '@remix-run/react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Refused } from '~/forms/refused.ts'
import { FormErrors, useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { AddressForm } from './address-form.tsx'
import { OptOutForm } from './opt-out-form.tsx'
import { SessionList, type SessionRow } from './session-list.tsx'
import { type TokenRow, TokenSection } from './token-section.tsx'

export type Account = {
  email: string
  institution: string | null
  subscription: { label: string; plan: string; from: string; to: string } | null
  mailChoices: { messages: boolean; reminders: boolean; reports: boolean; tracking: boolean }
  sessions: SessionRow[]
  tokens: TokenRow[]
  /** The uid of the next token that the form creates. */
  newTokenUid: string
  /** An admin sees the page, who may see neither the tokens nor the file. */
  isViewedByAdmin: boolean
}

type AccountRefusal = Refused & { csrf: string }
export type AccountAnswer = { token: string; name: string } | AccountRefusal

type Props = { account: Account; csrf: string | null; answer: AccountAnswer | undefined }

export function AccountPage({ account, csrf: ownCsrf, answer }: Props) {
  const isHydrated = useHydrated()
  const refusal = answer && 'fieldErrors' in answer ? answer : undefined
  const made = answer && 'token' in answer ? answer : undefined
  const csrf = refusal?.csrf || ownCsrf
  const intent = refusal?.values.intent
  const refusalOf = (name: string) => (intent === name ? refusal : undefined)
  const isElsewhere = intent !== 'change-email' && intent !== 'create-token'
  return (
    <div className="account">
      {refusal && isElsewhere && <FormErrors refusal={refusal} />}
      {!isHydrated && (made || intent === 'create-token') && <AboutToken isMade={made !== undefined} />}
      <Section title="Email">
        <AddressForm email={account.email} csrf={csrf} refusal={refusalOf('change-email')} />
      </Section>
      <Section title="Membership">
        <Membership account={account} />
      </Section>
      <Section title="Messages">
        <OptOutForm choices={account.mailChoices} csrf={csrf} />
      </Section>
      <Section title="Password">
        <p id="password">
          <Link className="btn btn--secondary" to="/change-password/?from=my-account">
            <Icon name="key" />
            Change Password
          </Link>
        </p>
      </Section>
      <Section title="Logged in on" size={account.sessions.length}>
        <SessionList sessions={account.sessions} csrf={csrf} />
      </Section>
      <Section title="Access tokens" size={account.tokens.length}>
        {account.isViewedByAdmin ? (
          <NotForAdmins />
        ) : (
          <TokenSection
            tokens={account.tokens}
            newUid={account.newTokenUid}
            made={made}
            csrf={csrf}
            refusal={refusalOf('create-token')}
          />
        )}
      </Section>
      <Section title="My data">
        <p className="muted">
          Download your profile, answers, progress, attempts, favorites, messages, searches and sessions as one JSON
          file. It contains the newest 10,000 items of each kind, and no passwords or tokens.
        </p>
        {account.isViewedByAdmin ? (
          <NotForAdmins />
        ) : (
          <p>
            <a className="btn btn--secondary" href="/my-learning/my-account/my-data.json" download>
              <Icon name="download" />
              Download my data
            </a>
          </p>
        )}
      </Section>
    </div>
  )
}

function NotForAdmins() {
  return <p className="muted">Not shown while you view as somebody else.</p>
}

/**
 * Says at the top of the page what happened to the token. Without JavaScript a browser may show the top, far above the
 * form.
 */
function AboutToken({ isMade }: { isMade: boolean }) {
  return (
    <p className={isMade ? 'notice notice--success' : 'notice notice--error'}>
      <Icon name={isMade ? 'check' : 'alert'} />
      <span>
        {isMade ? 'Your token was created. You can see it only once: ' : 'Your token was not created. '}
        <a href="#new-token">{isMade ? 'copy it now' : 'See what to fix'}</a>
      </span>
    </p>
  )
}

type SectionProps = { title: string; children: ReactNode; size?: number }

/**
 * A section of the page. `size` is the length of its list. When the list gets shorter, the button that was pressed is
 * gone, so the heading takes the focus.
 */
function Section({ title, children, size = 0 }: SectionProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(size)
  useEffect(() => {
    if (size < before.current && document.activeElement === document.body) heading.current?.focus()
    before.current = size
  }, [size])
  return (
    <section className="box stack">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  )
}

function Membership({ account: { institution, subscription } }: { account: Account }) {
  return (
    <dl className="profile">
      <div>
        <dt>Institution</dt>
        <dd>{institution ?? <span className="muted">None</span>}</dd>
      </div>
      <div>
        <dt>Subscription</dt>
        <dd>{subscription ? `${subscription.label}, ${subscription.plan}` : <span className="muted">None</span>}</dd>
      </div>
      {subscription && (
        <>
          <div>
            <dt>Valid from</dt>
            <dd>{subscription.from}</dd>
          </div>
          <div>
            <dt>Valid to</dt>
            <dd>{subscription.to}</dd>
          </div>
        </>
      )}
    </dl>
  )
}
