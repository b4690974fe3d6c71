import FoundationEssentials
import StateRestoration
import Testing

@Suite struct SensitiveTests {
    private static let secret = "hunter2-5f2c"

    private struct Account: Codable {
        var name = "me"
        var password = Sensitive(SensitiveTests.secret)
        var earlier = [Sensitive(SensitiveTests.secret)]
        var byName = ["a": Sensitive(SensitiveTests.secret)]
    }

    /// A type whose encoding error contains its secret.
    private struct Telltale: Encodable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                SensitiveTests.secret, .init(codingPath: [], debugDescription: "not now"))
        }
    }

    /// An error whose description would contain its text.
    private struct Careless: Error { var text: String }

    private struct Spilling: Encodable {
        func encode(to encoder: any Encoder) throws { throw Careless(text: SensitiveTests.secret) }
    }

    private final class Login: StateRestoring {
        let restoration = RestorationNode()
        @Restorable("password") var password = Sensitive(SensitiveTests.secret)
        @Restorable("name") var name = "me"
        var given: Sensitive<String>?

        init() { restoration.identifier = "login" }

        func restorables(_ visitor: inout some RestorableVisitor) {
            visitor.visit(&$password)
            visitor.visit(&$name)
        }

        func encodeRestorableState(with coder: StateEncoder) {
            coder.encode(Sensitive(SensitiveTests.secret), forKey: "direct")
            coder.encode(Sensitive(SensitiveTests.secret) as Sensitive<String>?, forKey: "optional")
            coder.encode([Sensitive(SensitiveTests.secret)], forKey: "array")
            coder.encode(Account(), forKey: "account")
            coder.encode(Telltale(), forKey: "telltale")
            coder.encode(Spilling(), forKey: "spilling")
            func generic(_ value: some Codable, _ key: StaticString) {
                coder.encode(value, forKey: key)
            }
            generic(Sensitive(SensitiveTests.secret), "generic")
        }

        func decodeRestorableState(with coder: StateDecoder) throws {
            given = try coder.decode(Sensitive<String>.self, forKey: "name")
        }
    }

    @Test func `P15: a sensitive value is never written or reported`() throws {
        let login = Login()
        let test = TestScene(TestDelegate(nil))
        try test.launch()
        try test.scene.registerObject(
            forStateRestoration: login, restorationIdentifier: "login")
        defer { withExtendedLifetime(login) {} }
        let output = try #require(test.save())
        #expect(output.values.count > 100)
        #expect(!contains(output.values))
        #expect(!output.sentences.joined().contains(Self.secret))
        #expect(
            output.sentences == [
                "login: \"telltale\" is not saved: not now",
                "login: \"spilling\" is not saved: Careless",
            ])
        let values = try test.archive.values(at: "login")
        #expect(values.keys.sorted() == ["account", "array", "name"])
        #expect(
            values["account"]
                == .codable(#"{"byName":{"a":null},"earlier":[null],"name":"me","password":null}"#))
        #expect(!String(describing: StateEncodingErrorTests.all(output)).contains(Self.secret))
    }

    @Test func `P15: a sensitive value decodes as nil, whatever was saved`() throws {
        let coders = Coders()
        coders.encoder.encode("clear text of an older version", forKey: "password")
        coders.encoder.encode(Account(), forKey: "account")
        let decoder = coders.decoder()
        #expect(try decoder.decode(Sensitive<String>.self, forKey: "password") == nil)
        let account = try #require(try decoder.decode(Account.self, forKey: "account"))
        #expect(account.name == "me")
        #expect(account.password.value == nil)
    }

    @Test func `P15: a sensitive property keeps its value when other properties are restored`()
        throws
    {
        let login = Login()
        let coders = Coders()
        try coders.encoder.encodeState(of: login)
        let next = Login()
        next.password = Sensitive("typed anew")
        next.name = "other"
        try coders.decoder().decodeState(of: next)
        #expect(next.name == "me")
        #expect(next.password.value == "typed anew")
        #expect(next.given == nil)
    }

    @Test func `P15: a sensitive value never prints its contents`() throws {
        let sensitive = Sensitive(Self.secret)
        var dumped = ""
        dump(sensitive, to: &dumped)
        dump(Account(), to: &dumped)
        dump(Login(), to: &dumped)
        let json = String(decoding: try JSONEncoder().encode(Account()), as: UTF8.self)
        let shown = [
            "\(sensitive)", String(describing: sensitive), String(reflecting: sensitive),
            "\([sensitive])", "\(Optional(sensitive) as Any)", "\(Account())", dumped, json,
            "\(Mirror(reflecting: sensitive).children.map { "\($0)" })",
        ]
        for text in shown { #expect(!text.contains(Self.secret)) }
        #expect("\(sensitive)" == "<sensitive>")
        #expect(sensitive.value == Self.secret)
    }

    private func contains(_ bytes: [UInt8]) -> Bool {
        let secret = Array(Self.secret.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: secret) }
    }
}
