import Glibc
import Testing

@testable import Preservation

@Suite struct SystemVersionTests {
    @Test func `P4: the system version consists of the name and the release of the system`() {
        var names = utsname()
        #expect(uname(&names) == 0)
        let release = withUnsafeBytes(of: names.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        #expect(!release.isEmpty)
        #expect(PreservationSettings().systemVersion == "Linux \(release)")
    }
}
