import StateRestoration
import Testing

@testable import Preservation

@Suite struct EncodedValueCacheTests {
    @Test func `P21: each object is encoded once until the values are discarded`() {
        let (one, other) = (Note("one", Notes()), Note("two", Notes()))
        var encoded: [ObjectIdentifier] = []
        let values = EncodedValueCache()
        func read(_ object: Note) -> [StoredValue] {
            values.values(of: object) {
                encoded.append(ObjectIdentifier($0))
                return [.string("\(encoded.count)")]
            }
        }
        #expect(read(one) == [.string("1")])
        #expect(read(other) == [.string("2")])
        #expect(read(one) == [.string("1")])
        #expect(encoded == [ObjectIdentifier(one), ObjectIdentifier(other)])
        values.removeAll()
        #expect(read(one) == [.string("3")])
    }
}
