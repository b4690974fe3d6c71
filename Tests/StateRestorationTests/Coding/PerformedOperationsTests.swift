import StateRecords
import Testing

@testable import StateRestoration

@Suite struct PerformedOperationsTests {
    @Test func `the number of a client's last operation is known`() {
        var operations = LastOperationNumbers()
        #expect(operations.lastOperationNumber(of: "a") == nil)
        operations.record(1, of: "a")
        operations.record(7, of: "b")
        operations.record(2, of: "a")
        #expect(operations.lastOperationNumber(of: "a") == 2)
        #expect(operations.lastOperationNumber(of: "b") == 7)
    }

    @Test func `the client that has been inactive the longest is removed first`() {
        var operations = LastOperationNumbers()
        for number in 1...LastOperationNumbers.maximumClients {
            operations.record(number, of: "client\(number)")
        }
        operations.record(1000, of: "client1")
        operations.record(1, of: "new")
        #expect(operations.lastOperationNumber(of: "client1") == 1000)
        #expect(operations.lastOperationNumber(of: "client2") == nil)
        #expect(operations.lastOperationNumber(of: "client3") == 3)
        #expect(operations.clientIDs.count == LastOperationNumbers.maximumClients)
    }

    @Test func `stored values that do not fit each other are ignored`() {
        let operations = LastOperationNumbers(clientIDs: ["a", "b"], operationNumbers: [4])
        #expect(operations.lastOperationNumber(of: "a") == 4)
        #expect(operations.lastOperationNumber(of: "b") == nil)
    }

    @Test func `a scene's record contains the numbers of the operations that it has performed`()
        throws
    {
        let archive = MemoryArchive()
        let first = try TestScene.launched(TestObject("root"), archive: archive)
        first.save(isFull: true)
        #expect(!first.scene.needsPass)
        first.scene.lastOperationNumbers.record(3, of: "page")
        #expect(first.scene.needsPass)
        first.save()
        #expect(!first.scene.needsPass)

        let second = try TestScene.launched(TestObject("root"), archive: archive)
        #expect(second.scene.lastOperationNumbers.lastOperationNumber(of: "page") == 3)
        second.save(isFull: true)
        let third = try TestScene.launched(TestObject("root"), archive: archive)
        #expect(third.scene.lastOperationNumbers == second.scene.lastOperationNumbers)
    }
}
