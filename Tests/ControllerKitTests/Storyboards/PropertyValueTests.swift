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

    @Test func `a number may be written whole or not, and is kept within bounds`() throws {
        #expect(try PropertyValue.integer(3).double() == 3)
        #expect(try PropertyValue.double(1.5).double() == 1.5)
        #expect(try PropertyValue.double(0.5).double(above: 0) == 0.5)
        #expect(try PropertyValue.integer(1).double(in: 0...1) == 1)
        #expect(try PropertyValue.integer(4).integer(in: 1...4) == 4)
        #expect(throws: PropertyError.invalidValue("a number is wanted")) {
            try PropertyValue.string("1").double()
        }
        #expect(throws: PropertyError.invalidValue("a number is wanted")) {
            try PropertyValue.double(.infinity).double()
        }
        #expect(throws: PropertyError.invalidValue("a number above 0 is wanted")) {
            try PropertyValue.integer(0).double(above: 0)
        }
        #expect(throws: PropertyError.invalidValue("a number from 0.5 to 2 is wanted")) {
            try PropertyValue.integer(3).double(in: 0.5...2)
        }
        #expect(throws: PropertyError.invalidValue("a whole number from 1 to 4 is wanted")) {
            try PropertyValue.integer(0).integer(in: 1...4)
        }
    }

    @Test func `a list of numbers gives a size, a point or insets`() throws {
        #expect(try PropertyValue.numbers([1, 2]).numbers() == [1, 2])
        #expect(try PropertyValue.strings([]).numbers() == [])
        #expect(try PropertyValue.numbers([80, 200]).size() == Size(width: 80, height: 200))
        #expect(try PropertyValue.numbers([-1, 2]).point() == Point(x: -1, y: 2))
        #expect(
            try PropertyValue.numbers([1, 2, 3, 4]).insets()
                == EdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        #expect(throws: PropertyError.invalidValue("a list of numbers is wanted")) {
            try PropertyValue.strings(["1"]).numbers()
        }
        for wrong in [PropertyValue.numbers([1]), .numbers([-1, 1]), .integer(1)] {
            #expect(
                throws: PropertyError.invalidValue(
                    "a size is wanted, [width, height], and neither below 0")
            ) { try wrong.size() }
        }
        #expect(throws: PropertyError.invalidValue("a point is wanted, [x, y]")) {
            try PropertyValue.numbers([1, 2, 3]).point()
        }
        #expect(
            throws: PropertyError.invalidValue("insets are wanted, [top, left, bottom, right]")
        ) { try PropertyValue.numbers([1]).insets() }
    }
}
