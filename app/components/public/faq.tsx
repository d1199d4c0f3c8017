import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { Brand } from '~/config/brands.ts'
import { Icon } from '../ui/icon.tsx'
import { Mail } from './terms.tsx'

type Answer = { question: string; answer: ReactNode }

/** Folded, without script; the browser's search finds what is inside. */
export function Faq({ brand }: { brand: Brand }) {
  return (
    <article className="wrap pb-16">
      <header className="pagehead">
        <h1>Frequently Asked Questions</h1>
        <p className="lead muted">Short answers to what people ask us most.</p>
      </header>
      {groupsFor(brand).map(({ title, answers }) => (
        <section key={title} aria-label={title} className="mb-10 max-w-measure">
          <h2 className="mb-2">{title}</h2>
          {answers.map(({ question, answer }) => (
            <details key={question} className="chapter faq">
              <summary>
                <Icon name="chevron" className="i--turn" />
                <h3>{question}</h3>
              </summary>
              <div className="prose">{answer}</div>
            </details>
          ))}
        </section>
      ))}
    </article>
  )
}

function groupsFor(brand: Brand): { title: string; answers: Answer[] }[] {
  return [
    {
      title: 'Learning',
      answers: [
        {
          question: 'Where do I begin?',
          answer: (
            <p>
              Anywhere. <Link to="/courses/">Courses</Link> put modules in an order and suit a first visit;{' '}
              <Link to="/modules/">modules</Link> stand on their own when you need one topic today. Home offers what you
              were doing last.
            </p>
          ),
        },
        {
          question: 'Is my place kept when I close a module?',
          answer: (
            <p>
              Yes. Your place and your answers are recorded while you work. Resume, on the module, on home or in My
              Learning, brings you back to the page where you were.
            </p>
          ),
        },
        {
          question: 'What do Start, Resume and Retake mean?',
          answer: (
            <p>
              Start opens something new, Resume goes on with what is between 1 and 99 percent, and Retake begins a
              completed module again. Retaking never lowers what you have reached: your best score and your completion
              stay.
            </p>
          ),
        },
        {
          question: `What is under ${brand.assignedLabel} in My Learning?`,
          answer: (
            <p>
              What the people who run your programme would like you to take. If something there cannot be opened, your
              access does not include it; tell them, or write to us.
            </p>
          ),
        },
        {
          question: 'What does Coming Soon mean?',
          answer: <p>It is announced and not open yet. Save it, and you find it in My Learning when it opens.</p>,
        },
      ],
    },
    {
      title: 'My account',
      answers: [
        {
          question: 'How do I get an account?',
          answer: (
            <p>
              By invitation. The mail leads you to a page on which you choose a password; that link works once. Ask your
              institution, or write to <Mail brand={brand} />.
            </p>
          ),
        },
        {
          question: 'I have forgotten my password.',
          answer: (
            <p>
              Ask for a link on <Link to="/request-password-reset/">Forgot password</Link>. It works for a short while
              and once. For your safety the page says the same whether or not there is an account.
            </p>
          ),
        },
        {
          question: 'Why can I not open everything?',
          answer: (
            <p>
              What you can open belongs to your access plan, and some plans end at a date. Your plan’s dates are in{' '}
              <Link to="/my-learning/my-account/">My Account</Link>.
            </p>
          ),
        },
        {
          question: 'Who sees what I do?',
          answer: (
            <p>
              The people who run your programme see what you started and completed, and your scores. The{' '}
              <Link to="/privacy-policy/">Privacy Policy</Link> has the whole list.
            </p>
          ),
        },
      ],
    },
    {
      title: 'Technical',
      answers: [
        {
          question: 'Which browsers work?',
          answer: (
            <p>
              Current versions of Firefox, Chrome, Edge and Safari, on computers, tablets and phones. Pages, videos and
              your progress also work without JavaScript; the content of a module usually needs it.
            </p>
          ),
        },
        {
          question: 'A module does not load.',
          answer: (
            <p>
              Load the page again and press Resume. If it stays empty, something between you and us may block its
              content, such as a filter in the network of your institution: tell us which network, and the module’s
              name.
            </p>
          ),
        },
        {
          question: 'Are there captions?',
          answer: <p>Every film of ours has captions, and videos and lectures a transcript that you can search.</p>,
        },
      ],
    },
  ]
}
