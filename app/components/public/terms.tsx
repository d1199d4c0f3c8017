import type { Brand } from '~/config/brands.ts'

export function Terms({ brand }: { brand: Brand }) {
  return (
    <article className="wrap">
      <header className="pagehead">
        <h1>Terms and Conditions</h1>
        <p className="lead muted">What {brand.name} offers you, and what we ask of you in return.</p>
      </header>
      <div className="prose">
        <h2>Your account</h2>
        <p>
          Accounts are opened by invitation and belong to one person. Keep your password to yourself, and tell us at{' '}
          <Mail brand={brand} /> if you think that somebody else knows it. Your account on this site is separate from
          accounts on any other site.
        </p>
        <h2>What you may do with the content</h2>
        <p>
          Use the modules, with their texts, figures and questions, for your own learning and for teaching inside your
          institution. Do not sell them, republish them or remove the names of their authors.
        </p>
        <h2>What the content is not</h2>
        <p>
          {brand.name} teaches how medicines are found and developed. It gives no medical, legal or regulatory advice,
          and completing a module is not a professional qualification.
        </p>
        <h2>Using the service fairly</h2>
        <ul>
          <li>Do not try to reach content or records that are not meant for you.</li>
          <li>Do not disrupt the service for others or test its security without our agreement.</li>
          <li>Do not let a program answer questions in your name.</li>
        </ul>
        <h2>Changes and ending</h2>
        <p>
          Content may be corrected, replaced or withdrawn. What you have completed stays recorded. You may ask us to
          close your account at any time. We may close an account that breaks these terms, and will then tell you why.
        </p>
        <p>
          Questions: <Mail brand={brand} />.
        </p>
      </div>
    </article>
  )
}

export function Mail({ brand }: { brand: Brand }) {
  return <a href={`mailto:${brand.supportEmail}`}>{brand.supportEmail}</a>
}
