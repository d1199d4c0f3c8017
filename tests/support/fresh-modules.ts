/** Runs before each test file: forgets our modules as the file before has left them, but not those of packages. */
import { vi } from 'vitest'

vi.useRealTimers()
vi.resetModules()
