import StateRestoration
import Testing

@Suite struct WeakLinkTests {
    private class Item {
        var onDeinit: (Item) -> Void = { _ in }

        deinit { onDeinit(self) }
    }

    @Test func `a link does not keep its object alive`() {
        var link = WeakLink<Item>()
        #expect(link.object == nil)
        var item: Item? = Item()
        link.object = item
        let copy = link
        #expect(link.object === item)
        #expect(copy.object === item)
        item = nil
        #expect(link.object == nil)
        #expect(copy.object == nil)
    }

    @Test func `a link is empty while its object is deinitialized`() {
        var wasEmpty: Bool?
        var link = WeakLink<Item>()
        do {
            let item = Item()
            link.object = item
            item.onDeinit = { [link] _ in wasEmpty = link.object == nil }
        }
        #expect(wasEmpty == true)
    }

    @Test func `a link to an object in its deinit stays empty`() {
        var links: [WeakLink<Item>] = []
        do { Item().onDeinit = { links.append(WeakLink(to: $0)) } }
        #expect(links.count == 1)
        #expect(links.first?.object == nil)
    }

    @Test func `a link does not refer to a later object`() {
        let gone = (0..<100).map { _ in WeakLink(to: Item()) }
        let later = (0..<100).map { _ in Item() }
        #expect(gone.allSatisfy { $0.object == nil })
        for item in later { #expect(!gone.contains { $0.refers(to: item) }) }
    }

    @Test func `a link can be changed or cleared after its object is gone`() {
        var link = WeakLink(to: Item())
        let other = Item()
        link.object = other
        #expect(link.object === other)
        #expect(link.refers(to: other))
        link.object = nil
        #expect(link.object == nil)
        #expect(!link.refers(to: other))
    }
}
