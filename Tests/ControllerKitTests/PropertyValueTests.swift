import ControllerKit
import Testing

@Suite struct PropertyValueTests {
    @Test func `a value gives what it is, and says what is wanted instead`() throws {
        #expect(try PropertyValue.string("a").string() == "a")
        #expect(try PropertyValue.integer(3).integer() == 3)
        #expect(try PropertyValue.bool(true).bool())
        #expect(try PropertyValue.strings(["a"]).strings() == ["a"])
        #expect(throws: PropertyError.invalidValue("a text is wanted")) {
            try PropertyValue.bool(true).string()
        }
        #expect(throws: PropertyError.invalidValue("a whole number is wanted")) {
            try PropertyValue.double(1.5).integer()
        }
        #expect(throws: PropertyError.invalidValue("true or false is wanted")) {
            try PropertyValue.string("true").bool()
        }
        #expect(throws: PropertyError.invalidValue("a list of texts is wanted")) {
            try PropertyValue.string("a").strings()
        }
    }
}
