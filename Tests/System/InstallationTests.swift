import SystemPackage
import Testing

struct InstallationTests {
    @Test func `the error for missing programs says what to build or set`() {
        let unset = #expect(throws: MissingPrograms.self) { try MissingPrograms.check(nil) }
        #expect(unset?.description.hasPrefix("$REPRISE_PROGRAMS is not set: run `swift") == true)
        let empty = #expect(throws: MissingPrograms.self) {
            try "/proc/self/task".withCString { try MissingPrograms.check($0) }
        }
        #expect(
            empty?.description.hasPrefix("no programs in $REPRISE_PROGRAMS, /proc/self/task: run")
                == true)
    }
}
