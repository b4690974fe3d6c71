import ControllerKit
import StateRestoration

/// A controller that shows the set points and the readings of a plant.
final class PanelViewController: ViewController {
    private let temperature = Slider()
    private let pressure = Slider()
    private let gauge = GaugeView()
    @RestorableText("remark") private var remark = TextView()
    /// Number of readings that have been shown.
    @Restorable("readings") private(set) var readings = 0

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit($remark)
        visitor.visit(&$readings)
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        temperature.maximumValue = 100
        temperature.value = 80
        pressure.maximumValue = 16
        add(gauge, "gauge")
        // The text before a control is its label in a browser.
        view.addSubview(Label(text: "Temperature limit"))
        add(temperature, "temperature")
        view.addSubview(Label(text: "Pressure limit"))
        add(pressure, "pressure")
        view.addSubview(Label(text: "Remark"))
        add(remark, "remark")
    }

    private func add(_ part: View, _ identifier: RestorationIdentifier) {
        part.restorationIdentifier = identifier
        view.addSubview(part)
    }

    /// Shows a new reading.
    ///
    /// - Returns: `true` if the reading is too high.
    func show(_ reading: Double) -> Bool {
        readings += 1
        gauge.limit = temperature.value
        gauge.show(reading)
        return reading > temperature.value
    }
}
