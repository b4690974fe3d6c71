import ControllerKit
import StateRestoration
import Testing

@Suite struct SliderTests {
    private static func prepare(_ slider: Slider) {
        slider.maximumValue = 10
        slider.minimumValue = -10
    }

    private func made(_ value: Double) -> Slider {
        let slider = Slider()
        Self.prepare(slider)
        slider.value = value
        return slider
    }

    @Test func `the value stays between the limits`() {
        let slider = Slider()
        #expect([slider.minimumValue, slider.value, slider.maximumValue] == [0, 0, 1])
        slider.value = 7
        #expect(slider.value == 1)
        slider.value = -.infinity
        slider.value = .nan
        #expect(slider.value == 1)
        slider.minimumValue = 3
        #expect([slider.minimumValue, slider.value, slider.maximumValue] == [3, 3, 3])
        slider.maximumValue = -2
        #expect([slider.minimumValue, slider.value, slider.maximumValue] == [-2, -2, -2])
        slider.maximumValue = .nan
        slider.minimumValue = -.infinity
        #expect([slider.minimumValue, slider.value, slider.maximumValue] == [-2, -2, -2])
    }

    @Test func `the user can type only a number between the limits`() throws {
        let slider = made(0)
        var runs = 0
        slider.addAction(for: .valueChanged) { runs += 1 }
        slider.value = 1
        #expect(runs == 0)
        try slider.type("-2.5", appending: false)
        #expect(slider.value == -2.5)
        #expect(runs == 1)
        let error = OperationError.notPossible("it accepts a number from -10 to 10")
        for text in ["", "abc", "11", "nan", "inf", "-1e400", "1 "] {
            #expect(throws: error) { try slider.type(text, appending: false) }
        }
        #expect(throws: OperationError.self) { try slider.type("1", appending: true) }
        #expect(throws: OperationError.self) { try slider.selectText(0..<1) }
        slider.isEnabled = false
        #expect(throws: OperationError.notPossible("it is disabled")) {
            try slider.type("1", appending: false)
        }
        #expect(slider.value == -2.5)
        #expect(runs == 1)
    }

    @Test(arguments: [-10, 0.1 + 0.2, 10])
    func `V7: the value is preserved`(value: Double) throws {
        let slider: Slider = try relaunched(Self.prepare, change: { $0.value = value })
        #expect(slider.value == value)
    }

    @Test func `V7: a value beyond new limits is clamped`() throws {
        let slider: Slider = try relaunched(
            Self.prepare, change: { $0.value = 9 }, reloaded: { $0.maximumValue = 5 })
        #expect(slider.value == 5)
        slider.maximumValue = 20
        #expect(slider.value == 5)
    }

    @Test func `V7: the value is restored even if limits are set when restoration finishes`() throws
    {
        let slider: Slider = try relaunched(
            Self.prepare, change: { $0.value = 9 }, reloaded: { _ in }, finished: Self.prepare)
        #expect(slider.value == 9)
    }

    @Test func `V7: a value that the program sets when restoration finishes is kept`() throws {
        let slider: Slider = try relaunched(
            Self.prepare, change: { $0.value = 9 },
            finished: {
                $0.value = 2
                $0.maximumValue = 100
            })
        #expect(slider.value == 2)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e308, -1e308])
    func `V7: a forged value stays between the limits`(value: Double) throws {
        let slider = made(3)
        try restore(slider) { $0.encode(value, forKey: "value") }
        #expect(slider.value == (value.isFinite ? (value > 0 ? 10 : -10) : 3))
        slider.minimumValue = -Double.greatestFiniteMagnitude
        slider.maximumValue = Double.greatestFiniteMagnitude
        for value in [value, -value, 0] {
            slider.value = value
            for width in 1...40 { #expect(lines(of: slider, width: width).count == 1) }
        }
    }

    @Test func `arrow keys reach the limits even if the next step would be infinite`() throws {
        let most = Double.greatestFiniteMagnitude
        let slider = Slider()
        slider.minimumValue = -most
        slider.maximumValue = most
        slider.value = most * 0.98
        try slider.edit(.move(.right))
        #expect(slider.value == most)
        slider.value = most * -0.98
        try slider.edit(.move(.left))
        #expect(slider.value == -most)
    }

    @Test func `arrow keys change the value by a twentieth of its range`() throws {
        let slider = made(5)
        try slider.edit(.move(.left))
        #expect(slider.value == 4)
        try slider.edit(.move(.right))
        try slider.edit(.move(.right))
        #expect(slider.value == 6)
    }

    @Test func `the knob is drawn at the value`() {
        #expect(lines(of: made(-10), width: 14) == ["●───────── -10"])
        #expect(lines(of: made(10), width: 14) == ["━━━━━━━━━━● 10"])
        #expect(lines(of: made(0.126), width: 14) == ["━━━━●──── 0.13"])
        #expect(lines(of: made(5), width: 2) == ["5 "])
        #expect(lines(of: made(5), width: 3) == ["5  "])
        let knobLine = String(repeating: "━", count: 19) + "● 10"
        #expect(lines(of: made(10), width: 40) == [knobLine + String(repeating: " ", count: 17)])
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let slider = Slider()
        try slider.setProperty("maximumValue", to: .integer(4))
        try slider.setProperty("minimumValue", to: .double(0.5))
        try slider.setProperty("value", to: .integer(2))
        #expect(
            slider.inspectedProperties == [
                "value": .double(2), "minimumValue": .double(0.5), "maximumValue": .double(4),
                "isEnabled": .bool(true), "isHidden": .bool(false),
            ])
        #expect(throws: PropertyError.invalidValue("a number from 0.5 to 4 is required")) {
            try slider.setProperty("value", to: .integer(5))
        }
        #expect(
            throws: PropertyError.unknownProperty(
                known: ["minimumValue", "maximumValue", "value", "isEnabled", "isHidden"])
        ) { try slider.setProperty("text", to: .integer(5)) }
    }
}
