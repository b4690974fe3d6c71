import ControllerKit
import Testing

@Suite struct PropertyValueTests {
    @Test func `a value converts to its own type, or an error names the required type`() throws {
        #expect(try String(storyboardValue: .string("a")) == "a")
        #expect(try Int(storyboardValue: .integer(3)) == 3)
        #expect(try Bool(storyboardValue: .bool(true)))
        #expect(try [String](storyboardValue: .strings(["a"])) == ["a"])
        #expect(throws: PropertyError.invalidValue("a string is required")) {
            try String(storyboardValue: .bool(true))
        }
        #expect(throws: PropertyError.invalidValue("a whole number is required")) {
            try Int(storyboardValue: .double(1.5))
        }
        #expect(throws: PropertyError.invalidValue("true or false is required")) {
            try Bool(storyboardValue: .string("true"))
        }
        #expect(throws: PropertyError.invalidValue("a list of strings is required")) {
            try [String](storyboardValue: .string("a"))
        }
    }

    @Test func `a number can be whole or fractional and must be within its bounds`() throws {
        #expect(try Double(storyboardValue: .integer(3)) == 3)
        #expect(try Double(storyboardValue: .double(1.5)) == 1.5)
        #expect(try Double(storyboardValue: .double(0.5), above: 0) == 0.5)
        #expect(try Double(storyboardValue: .integer(1), in: 0...1) == 1)
        #expect(try Int(storyboardValue: .integer(4), in: 1...4) == 4)
        #expect(throws: PropertyError.invalidValue("a number is required")) {
            try Double(storyboardValue: .string("1"))
        }
        #expect(throws: PropertyError.invalidValue("a number is required")) {
            try Double(storyboardValue: .double(.infinity))
        }
        #expect(throws: PropertyError.invalidValue("a number above 0 is required")) {
            try Double(storyboardValue: .integer(0), above: 0)
        }
        #expect(throws: PropertyError.invalidValue("a number from 0.5 to 2 is required")) {
            try Double(storyboardValue: .integer(3), in: 0.5...2)
        }
        #expect(throws: PropertyError.invalidValue("a whole number from 1 to 4 is required")) {
            try Int(storyboardValue: .integer(0), in: 1...4)
        }
    }

    @Test func `a list of numbers converts to a size, a point or insets`() throws {
        #expect(try PropertyValue.numbers([1, 2]).numbers() == [1, 2])
        #expect(try PropertyValue.strings([]).numbers() == [])
        #expect(try Size(storyboardValue: .numbers([80, 200])) == Size(width: 80, height: 200))
        #expect(try Point(storyboardValue: .numbers([-1, 2])) == Point(x: -1, y: 2))
        #expect(
            try EdgeInsets(storyboardValue: .numbers([1, 2, 3, 4]))
                == EdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        #expect(throws: PropertyError.invalidValue("a list of numbers is required")) {
            try PropertyValue.strings(["1"]).numbers()
        }
        for wrong in [PropertyValue.numbers([1]), .numbers([-1, 1]), .integer(1)] {
            #expect(
                throws: PropertyError.invalidValue(
                    "a size is required: [width, height], with no negative numbers")
            ) { try Size(storyboardValue: wrong) }
        }
        #expect(throws: PropertyError.invalidValue("a point is required: [x, y]")) {
            try Point(storyboardValue: .numbers([1, 2, 3]))
        }
        #expect(
            throws: PropertyError.invalidValue("insets are required: [top, left, bottom, right]")
        ) { try EdgeInsets(storyboardValue: .numbers([1])) }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `every number in a list must be finite`(wrong: Double) {
        func lists(_ count: Int) -> [PropertyValue] {
            (0..<count).map { index in
                var numbers = [Double](repeating: 1, count: count)
                numbers[index] = wrong
                return .numbers(numbers)
            }
        }
        for list in lists(2) {
            #expect(throws: PropertyError.self) { try list.numbers() }
            #expect(throws: PropertyError.self) { try Size(storyboardValue: list) }
            #expect(throws: PropertyError.self) { try Point(storyboardValue: list) }
        }
        for list in lists(4) {
            #expect(throws: PropertyError.self) { try EdgeInsets(storyboardValue: list) }
        }
    }
}
