import StateRestoration
import Testing

@testable import Preservation

@Suite struct CrashRecoveryTests {
    @Test(arguments: [
        (1, "s1"), (2, "s1, s2"), (10, nil), (11, ", and 1 more"), (30, ", and 20 more"),
    ])
    func `a list of scenes contains at most ten names`(count: Int, end: String?) throws {
        let names = try (1...count).map { try RestorationIdentifier(validating: "s\($0)") }
        let list = CrashRecovery.enumeration(of: names)
        #expect(
            list.split(separator: ", ").prefix(10).map(String.init) == names.prefix(10).map(\.text))
        #expect(list.contains("more") == (count > 10))
        if let end { #expect(list.hasSuffix(end)) }
    }
}
