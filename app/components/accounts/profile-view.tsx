import type { ReactNode } from 'react'
import type { Answered, ProfileQuestion } from '~/forms/questionnaire-rules.ts'
import type { Typed } from '../questionnaire/question-fields.tsx'

export const profileAddress = '/my-learning/my-profile/'

export type Profile = {
  isAdmin: boolean
  firstName: string
  lastName: string
  email: string
  institution: string | null
  questions: ProfileQuestion[]
  answers: Answered[]
}

export type ProfileAnswer = { saved: string } | (Typed & { csrf: string })

/** Shows the viewer's own profile. Admins have no questionnaire and no institution here. */
export function ProfileView({ profile }: { profile: Profile }) {
  const { isAdmin, firstName, lastName, email, institution, questions, answers } = profile
  return (
    <dl className="profile">
      <Row term="First name">{firstName}</Row>
      <Row term="Last name">{lastName}</Row>
      <Row term="Email">{email}</Row>
      {!isAdmin && <Row term="Institution">{institution}</Row>}
      {!isAdmin &&
        questions.map((question) => (
          <Row key={question.uid} term={question.text}>
            {saidTo(
              question,
              answers.find(({ questionUid }) => questionUid === question.uid),
            )}
          </Row>
        ))}
    </dl>
  )
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children || <span className="muted">Not given</span>}</dd>
    </div>
  )
}

/** Returns the answer in words. A custom answer replaces the text of the option that asked for it. */
function saidTo({ options }: ProfileQuestion, answer: Answered | undefined): string {
  return options
    .filter(({ uid }) => answer?.optionUids.includes(uid))
    .map(({ text, allowsCustomAnswer }) => (allowsCustomAnswer && answer?.customAnswer) || text)
    .join(', ')
}
