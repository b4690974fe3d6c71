import Testing

@testable import VarlinkGeneration

struct SwiftNameTests {
    @Test(arguments: [
        ("GetInfo", "getInfo"), ("URLOf", "urlOf"), ("A", "a"), ("URL", "url"), ("Init", "`init`"),
        ("HTTP2Get", "http2Get"), ("OOMd", "ooMd"), ("Self", "self_"), ("GetURL", "getURL"),
    ])
    func `the name of a method begins with a lowercase word`(name: String, expected: String) {
        #expect(SwiftName.memberIdentifier(name) == expected)
    }

    @Test(arguments: [
        ("name", "name"), ("class", "class"), ("in", "in"), ("let", "`let`"), ("var", "`var`"),
        ("inout", "`inout`"), ("self", "self_"), ("Type", "Type_"), ("Protocol", "Protocol_"),
    ])
    func `only a few keywords are escaped in an argument label`(name: String, expected: String) {
        #expect(SwiftName.label(name) == expected)
    }
}
