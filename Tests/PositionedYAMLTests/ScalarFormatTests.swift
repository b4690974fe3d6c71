import Testing

@testable import PositionedYAML

@Suite struct ScalarFormatTests {
    enum Colour: String, CaseIterable, Sendable { case red, green, blue }

    private func read<Value>(
        _ text: String, _ format: ScalarFormat<Value>, quoted: Bool = false
    ) -> Result<Value, ScalarRefusal> {
        Result { () throws(ScalarRefusal) in
            try format.read(PositionedScalar(text: text, isQuoted: quoted))
        }
    }

    @Test(arguments: [
        "Panel", "1.2.3", "yes", "off", "1:30", "2024-01-01", "0xyz", "-", ".", "1e", "e1",
    ])
    func `plain text that has no other type is a string`(text: String) {
        #expect(read(text, .string) == .success(text))
    }

    @Test(
        arguments: [
            "1", "-1", "+1", "1.10", ".5", "5.", "1e3", "0x1F", "0o17", "true", "False", ".inf",
            "-.INF", ".nan", "+.inf", "+0x1F", "-0x1F", "+0o17", "-0o17", "-.nan",
        ])
    func `a number or Boolean is a string only in quotes`(text: String) {
        #expect(
            read(text, .string) == .failure(ScalarRefusal("write it in quotes, \"\(text)\"")))
        #expect(read(text, .string, quoted: true) == .success(text))
    }

    @Test(arguments: [("0", 0), ("-7", -7), ("+7", 7), ("9223372036854775807", Int.max)])
    func `a whole number is read without quotes`(text: String, number: Int) {
        #expect(read(text, .integer) == .success(number))
        #expect(
            read(text, .integer, quoted: true)
                == .failure(ScalarRefusal("write it without quotes, \(number)")))
    }

    @Test(arguments: ["", "1.0", "1e3", "0x10", "1_000", "ten", "9 "])
    func `text that is not a whole number is refused`(text: String) {
        #expect(
            read(text, .integer) == .failure(ScalarRefusal("write a whole number such as 16")))
    }

    @Test func `a number beyond 64 bits is refused as too large`() {
        #expect(
            read("9223372036854775808", .integer)
                == .failure(ScalarRefusal("write a smaller number")))
    }

    @Test(arguments: ["0.5", "-2", "1e-3", "1e+3", "1E3", ".25", "1e999"])
    func `decimal numbers are recognized`(text: String) {
        #expect(PositionedScalar(text: text, isQuoted: false).isDecimal)
    }

    @Test(arguments: ["nan", "inf", ".inf", "0x1p3", "1,5", "--1", "1e+"])
    func `text in any other form is not a decimal number`(text: String) {
        #expect(!PositionedScalar(text: text, isQuoted: false).isDecimal)
    }

    @Test func `only true and false are Booleans`() {
        #expect(read("true", .boolean) == .success(true))
        #expect(read("false", .boolean) == .success(false))
        for text in ["yes", "on", "True", "1", "FALSE", ""] {
            #expect(throws: ScalarRefusal.self) { try read(text, .boolean).get() }
        }
        #expect(throws: ScalarRefusal.self) { try read("true", .boolean, quoted: true).get() }
    }

    @Test(
        arguments: [
            ("0s", Duration.zero), ("500ms", .milliseconds(500)), ("5s", .seconds(5)),
            ("2m", .seconds(120)), ("1h", .seconds(3600)), ("001s", .seconds(1)),
        ])
    func `a duration consists of a number and a unit`(text: String, duration: Duration) {
        #expect(read(text, .duration) == .success(duration))
        #expect(read(text, .duration, quoted: true) == .success(duration))
    }

    @Test(arguments: ["5", "s", "5 s", "-5s", "1.5s", "1h30m", "5S", "5sec", "", "٥s"])
    func `a duration in any other form is refused`(text: String) {
        let refusal = ScalarRefusal("write a duration such as 500ms, 5s, 2m or 1h")
        #expect(read(text, .duration) == .failure(refusal))
    }

    @Test(arguments: ["99999999999999999999s", "9223372036854775807h"])
    func `a duration that overflows is refused`(text: String) {
        #expect(read(text, .duration) == .failure(ScalarRefusal("write a smaller number")))
    }

    @Test(
        arguments: [
            ("0", 0), ("4096", 4096), ("64KiB", 65536), ("1MiB", 1_048_576),
            ("2GiB", 2_147_483_648),
        ])
    func `a size is a number with an optional binary unit`(text: String, size: Int) {
        #expect(read(text, .byteSize) == .success(size))
    }

    @Test(arguments: ["1KB", "1 MiB", "1mib", "-1", "KiB", "1.5MiB", "1B"])
    func `a size in any other form is refused`(text: String) {
        let refusal = ScalarRefusal("write a size such as 4096, 64KiB, 1MiB or 2GiB")
        #expect(read(text, .byteSize) == .failure(refusal))
    }

    @Test func `an unknown word is refused, and the closest word is suggested`() {
        let words: ScalarFormat<Colour> = .enumeration
        #expect(read("green", words) == .success(.green))
        #expect(
            read("grene", words)
                == .failure(
                    ScalarRefusal("write one of red, green, blue; did you mean \"green\"?")))
        #expect(read("x-ray", words) == .failure(ScalarRefusal("write one of red, green, blue")))
    }

    @Test func `bounds are inclusive and are shown in the format of the value`() {
        let format = ScalarFormat.duration.within(.seconds(1) ... .seconds(3600))
        #expect(read("1s", format) == .success(.seconds(1)))
        #expect(read("60m", format) == .success(.seconds(3600)))
        #expect(
            read("999ms", format) == .failure(ScalarRefusal("write a value from 1s to 1h")))
        #expect(throws: ScalarRefusal.self) { try read("3601s", format).get() }
    }

    @Test(arguments: [("0s", 0), ("1500ms", 1500), ("7ms", 7), ("90s", 90_000), ("2m", 120_000)])
    func `a duration is formatted in its largest whole unit`(text: String, milliseconds: Int) {
        #expect(Duration.milliseconds(milliseconds).textWithUnit == text)
    }

    @Test(arguments: [("0", 0), ("1025", 1025), ("1KiB", 1024), ("3MiB", 3 << 20)])
    func `a size is formatted in its largest whole unit`(text: String, size: Int) {
        #expect(size.byteSizeText == text)
    }

    @Test(arguments: ["", "~", "null", "Null", "NULL"])
    func `text that means null is a string only in quotes`(text: String) {
        #expect(PositionedScalar(text: text, isQuoted: false).isNull)
        #expect(!PositionedScalar(text: text, isQuoted: true).isNull)
        #expect(
            read(text, .string) == .failure(ScalarRefusal("write it in quotes, \"\(text)\"")))
        #expect(read(text, .string, quoted: true) == .success(text))
    }
}
