import StateRestoration
import Testing

/// Keys and references that programs rarely use.
@Suite struct CoderEdgeTests {
    @Test func `P9: a key that consists of one Unicode scalar can be used by several objects`()
        throws
    {
        let key = StaticString(unicodeScalarLiteral: "x")
        let reservedKey = StaticString(unicodeScalarLiteral: "@")
        let coders = Coders()
        for value in 1...2 {
            coders.encoder.begin()
            coders.encoder.encode(value, forKey: key)
            coders.encoder.encode(value, forKey: reservedKey)
            #expect(coders.problems == [.init("@", .reservedKey)])
            #expect(try coders.values() == ["x": .integer(Int64(value))])
        }
    }

    @Test func `P8: a reference to an object without a record number is omitted and reported`()
        throws
    {
        let coders = Coders()
        coders.encoder.recordNumberOfObject = { _ in nil }
        coders.encoder.encode(TestObject("page"), forKey: "page")
        #expect(coders.problems == [.init("page", .referenceWithoutIdentifier)])
        #expect(try coders.values() == [:])
    }

    @Test func `inspecting an object adds no object to which it refers to the scene`() throws {
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        test.save()
        let new = TestObject("new")
        root.reference = new
        let values = try StateInspection(test.scene).values(of: root, passMetadata: .test)
        #expect(values == [:])
        #expect(new.restoration.record.number == RecordNumber.none)
        #expect(new.restoration.records == nil)
        #expect(!test.scene.needsPass)
    }

    @Test func `operations of different clients or with different numbers are not equal`() {
        func operations(_ number: Int, of client: String) -> LastOperationNumbers {
            var operations = LastOperationNumbers()
            operations.record(number, of: client)
            return operations
        }
        #expect(operations(1, of: "a") == operations(1, of: "a"))
        #expect(operations(1, of: "a") != operations(2, of: "a"))
        #expect(operations(1, of: "a") != operations(1, of: "b"))
    }
}
