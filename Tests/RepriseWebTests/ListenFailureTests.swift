import Glibc
import Testing

@testable import RepriseWeb

@Suite struct ListenFailureTests {
    @Test func `the error says what to do`() {
        #expect("\(ListenFailure(port: 80, code: EACCES))".contains("above 1023 with --port"))
        #expect("\(ListenFailure(port: 8075, code: EADDRINUSE))".contains("another port"))
        #expect("\(ListenFailure(port: 8075, code: EADDRNOTAVAIL))".contains("8075"))
    }
}
