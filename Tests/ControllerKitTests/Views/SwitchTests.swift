import ControllerKit
import StateRestoration
import Testing

@Suite struct SwitchTests {
    @Test func `a tap toggles the switch and runs the actions, but setting isOn runs no actions`()
        throws
    {
        let control = Switch()
        var runs = 0
        control.addAction(for: .valueChanged) { runs += 1 }
        control.isOn = true
        #expect(runs == 0)
        try control.tap()
        #expect(!control.isOn)
        #expect(runs == 1)
        control.isEnabled = false
        #expect(throws: OperationError.notPossible("it is disabled")) { try control.tap() }
        #expect(!control.isOn)
        #expect(runs == 1)
    }

    @Test(arguments: [true, false])
    func `V7: whether a switch is on is preserved`(isOn: Bool) throws {
        let control: Switch = try relaunched({ $0.isOn = !isOn }, change: { $0.isOn = isOn })
        #expect(control.isOn == isOn)
    }

    @Test func `V7: a saved value of the wrong type throws an error and changes nothing`() throws {
        let control = Switch()
        control.isOn = true
        #expect(throws: StateDecodingError.self) {
            try restore(control) { $0.encode(0, forKey: "isOn") }
        }
        #expect(control.isOn)
    }

    @Test func `a switch draws its knob and has the property isOn`() throws {
        let control = Switch()
        #expect(lines(of: control, width: 9) == ["[● ] off "])
        try control.setProperty("isOn", to: .bool(true))
        #expect(lines(of: control, width: 9) == ["[ ●] on  "])
        #expect(control.inspectedProperties["isOn"] == .bool(true))
        #expect(
            throws: PropertyError.unknownProperty(known: ["isOn", "isEnabled", "isHidden"])
        ) { try control.setProperty("on", to: .bool(true)) }
    }

    @Test func `all actions for an event run in the order in which they were added`() throws {
        let control = Switch()
        var runs: [Int] = []
        for number in 1...3 { control.addAction(for: .valueChanged) { runs.append(number) } }
        try control.tap()
        #expect(runs == [1, 2, 3])
    }
}
