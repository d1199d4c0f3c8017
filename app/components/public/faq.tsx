import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import type { Brand } from '~/config/brands.ts'
import { Icon } from '../ui/icon.tsx'
import { Mail } from './terms.tsx'

type Answer = { question: string; answer: ReactNode }

/** Folded answers that need no script. The browser's search finds text inside them. */
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
              Anywhere. <Link to="/courses/">Courses</Link> put modules in order and are good for a first visit.{' '}
              <Link to="/modules/">Modules</Link> stand on their own, for when you need one topic today. The home page
              shows what you opened last.
            </p>
          ),
        },
        {
          question: 'Is my place kept when I close a module?',
          answer: (
            <p>
              Yes. We record your place and your answers while you work. Press Resume on the module, on the home page or
              in My Learning to return to the page where you were.
            </p>
          ),
        },
        {
          question: 'What do Start, Resume and Retake mean?',
          answer: (
            <p>
              Start opens something new. Resume continues what is between 1 and 99 percent. Retake starts a completed
              module again. When you retake a module, you keep your best score and your completion.
            </p>
          ),
        },
        {
          question: `What is under ${brand.assignedLabel} in My Learning?`,
          answer: (
            <p>
              Courses and modules that your program would like you to take. What has a due date comes first, and we
              remind you by email. If you cannot open one of them, your access does not include it. Tell the people who
              run your program, or write to us.
            </p>
          ),
        },
        {
          question: 'What does Coming Soon mean?',
          answer: <p>It is announced but not open yet. Save it to find it in My Learning when it opens.</p>,
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
              By invitation. The email contains a link to a page where you choose a password. The link works once. To
              get an invitation, ask your institution or write to <Mail brand={brand} />.
            </p>
          ),
        },
        {
          question: 'I have forgotten my password.',
          answer: (
            <p>
              Request a link on <Link to="/request-password-reset/">Forgot password</Link>. It works once, and for a
              limited time. For your security, the page shows the same message whether or not there is an account.
            </p>
          ),
        },
        {
          question: 'Why can’t I open everything?',
          answer: (
            <p>
              What you can open depends on your access plan, and some plans have an end date. See your plan’s dates in{' '}
              <Link to="/my-learning/my-account/">My Account</Link>.
            </p>
          ),
        },
        {
          question: 'Who sees what I do?',
          answer: (
            <p>
              The people who run your program see what you started and completed, and your scores. The{' '}
              <Link to="/privacy-policy/">Privacy Policy</Link> has the full list.
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
              Reload the page and press Resume. If the module stays empty, something may be blocking its content, such
              as a filter in your institution’s network. Tell us which network you use and the name of the module.
            </p>
          ),
        },
        {
          question: 'Are there captions?',
          answer: <p>Yes. All our videos and lectures have captions and a transcript that you can search.</p>,
        },
      ],
    },
  ]
}
