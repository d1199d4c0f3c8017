import { useId } from 'react'
import {
  type Answered,
  askedField,
  choiceField,
  customField,
  longestCustomAnswer,
  type ProfileQuestion,
} from '~/forms/questionnaire-rules.ts'
import type { Refused } from '~/forms/refused.ts'
import { described, FieldError } from '../ui/fields.tsx'

/** The values of a refused form, which take precedence over the saved ones. */
export type Typed = Refused & { repeated?: Record<string, string[]> }

type Props = {
  questions: ProfileQuestion[]
  answers: Answered[]
  refusal: Typed | undefined
  /** The messages of required questions that are still open, by field. They appear beside those of `refusal`. */
  open?: Record<string, string>
}

/**
 * A group of options for each question. The field for a custom answer appears with its option, by CSS alone, so it
 * works without JavaScript.
 */
export function QuestionFields({ questions, answers, refusal, open = {} }: Props) {
  return (
    <>
      {questions.map((question) => (
        <QuestionField
          key={question.uid}
          question={question}
          answer={answers.find(({ questionUid }) => questionUid === question.uid)}
          refusal={refusal}
          openError={open[choiceField(question.uid)]}
        />
      ))}
    </>
  )
}

function QuestionField({
  question,
  answer,
  refusal,
  openError,
}: {
  question: ProfileQuestion
  answer: Answered | undefined
  refusal: Typed | undefined
  openError: string | undefined
}) {
  const id = useId()
  const { uid, text, type, isRequired, options } = question
  const wasTyped = refusal && Object.keys(refusal.values).length > 0
  const chosen = new Set(wasTyped ? typedChoice(refusal, uid) : chosenOf(question, answer))
  const custom = wasTyped ? (refusal.values[customField(uid)] ?? '') : (answer?.customAnswer ?? '')
  const customError = refusal?.fieldErrors[customField(uid)]
  const error = refusal?.fieldErrors[choiceField(uid)] ?? openError
  const hasWayBack = type === 'single' && !isRequired
  return (
    <fieldset className="question" aria-describedby={error ? `${id}-choice-error` : undefined}>
      <legend>
        {text}
        {isRequired && ' *'}
        {type === 'multiple' && <span className="hint">Choose all that apply.</span>}
      </legend>
      <input type="hidden" name={askedField} value={uid} />
      <div className="choices">
        {options.map((option) => (
          <label key={option.uid} className={type === 'single' ? 'choice' : 'tick'}>
            <input
              type={type === 'single' ? 'radio' : 'checkbox'}
              name={choiceField(uid)}
              value={option.uid}
              defaultChecked={chosen.has(option.uid)}
              aria-invalid={error ? true : undefined}
              data-custom={option.allowsCustomAnswer || undefined}
            />
            <span>{option.text}</span>
          </label>
        ))}
        {hasWayBack && (
          <label className="choice">
            <input type="radio" name={choiceField(uid)} value="" defaultChecked={chosen.size === 0} />
            <span className="muted">No answer</span>
          </label>
        )}
      </div>
      {options.some(({ allowsCustomAnswer }) => allowsCustomAnswer) && (
        <div className="field custom">
          <label htmlFor={id}>Your answer</label>
          <input
            className="input"
            id={id}
            name={customField(uid)}
            defaultValue={custom}
            maxLength={longestCustomAnswer}
            {...described(id, { error: customError })}
          />
          <FieldError id={id} error={customError} />
        </div>
      )}
      <FieldError id={`${id}-choice`} error={error} />
    </fieldset>
  )
}

function typedChoice({ values, repeated }: Typed, questionUid: string): string[] {
  const name = choiceField(questionUid)
  return repeated?.[name] ?? (values[name] ? [values[name]] : [])
}

/** Returns the chosen options, or the defaults if the question has not been answered yet. */
function chosenOf({ options }: ProfileQuestion, answer: Answered | undefined): string[] {
  return answer?.optionUids ?? options.filter(({ isDefault }) => isDefault).map(({ uid }) => uid)
}
