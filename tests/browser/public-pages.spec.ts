/** The pages that are open to everybody, in both brands. */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe.ts'
import { expect, test } from './support/server.ts'

const pages = [
  { address: '/about-us/', label: 'About Us', heading: /^About Titrate/ },
  { address: '/faq/', label: 'FAQs', heading: 'Frequently Asked Questions' },
  { address: '/contact-us/', label: 'Contact Us', heading: 'Contact Us' },
  { address: '/terms/', label: 'Terms', heading: 'Terms and Conditions' },
  { address: '/privacy-policy/', label: 'Privacy Policy', heading: 'Privacy Policy' },
]

const brands = [
  { site: 'institutional', product: 'Titrate', contact: 'support@titrate.example', foreign: 'ns.titrate.example' },
  { site: 'ns', product: 'Titrate NS', contact: 'help@ns.titrate.example', foreign: 'support@titrate.example' },
] as const

for (const { site, product, contact, foreign } of brands) {
  test.describe(site, () => {
    test.use({ site, viewport: { width: 360, height: 800 } })

    test('L-033 L-034 L-055 L-065 each page shows its own brand and nothing of the other one', async ({ page }) => {
      for (const { address, label, heading } of pages) {
        await page.goto(address)
        await expect(page).toHaveTitle(`${product} : ${label}`)
        await expect(page.locator('meta[name=description]')).toHaveAttribute(
          'content',
          new RegExp(`\\. ${product} is a`),
        )
        await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
        await expect(page.locator('body')).not.toContainText(foreign)
        // Terms and Privacy Policy are made of the same parts.
        if (site === 'ns' && label !== 'Terms') await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
      await page.goto('/contact-us/')
      await expect(page.getByRole('main').getByRole('link', { name: contact })).toHaveAttribute(
        'href',
        `mailto:${contact}`,
      )
      await page.goto('/faq/')
      await page.getByText('Where do I begin?').click()
      await expect(page.getByText('Anywhere.')).toBeVisible()
    })
  })
}
