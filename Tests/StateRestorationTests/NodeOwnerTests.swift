import Testing

@testable import StateRestoration

@Suite struct NodeOwnerTests {
    @Test func `a node that several objects return belongs to the first object that exists`() {
        let node = RestorationNode()
        let second = TestObject("second")
        do {
            let first = TestObject("first")
            node.link(to: first)
            node.link(to: second)
            #expect(node.object === first)
        }
        #expect(node.object == nil)
        node.link(to: second)
        #expect(node.object === second)
    }
}
