import Testing

@testable import StateRestoration

@Suite struct StoredOperationsTests {
    @Test func `the stored numbers of the last 64 clients are read`() {
        let clients = (0..<70).map { "client\($0)" }
        let operations = LastOperationNumbers(clientIDs: clients, operationNumbers: Array(0..<70))
        #expect(operations.clientIDs == Array(clients.suffix(64)))
        #expect(operations.operationNumbers == Array(6..<70))
    }

    @Test func `the numbers of several clients are restored`() throws {
        let first = try TestScene.launched(TestObject("root"))
        for (number, client) in [(4, "a"), (7, "b"), (2, "c")] {
            first.scene.lastOperationNumbers.record(number, of: client)
        }
        first.save()
        let second = try TestScene.launched(TestObject("root"), archive: first.archive)
        #expect(second.scene.lastOperationNumbers == first.scene.lastOperationNumbers)
        #expect(second.scene.lastOperationNumbers.lastOperationNumber(of: "c") == 2)
    }
}
