import StateRestoration
import Testing

@Suite struct AbridgedListTests {
    @Test(arguments: [0, 1, 10, 11, 30])
    func `a list shows at most ten elements and the number of the others`(
        count: Int
    ) {
        let names = (0..<count).map { "name \($0)" }
        let list = names.abridged
        #expect(Array(list.prefix(10)) == Array(names.prefix(10)))
        #expect(list.dropFirst(10) == (count > 10 ? ["and \(count - 10) more"] : []))
    }
}
