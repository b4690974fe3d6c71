import Testing

@testable import ControllerKit

@Suite struct ScrollViewPositionTests {
    @Test func `no position is shown if only the inset above the content is visible`() {
        let view = ScrollView()
        view.visibleSize = Size(width: 10, height: 3)
        view.contentSize = Size(width: 10, height: 10)
        view.contentInset.top = 9
        for (offset, position) in [(-9, nil), (-3, nil), (-2, "1 of 10"), (-1, "1–2 of 10")]
            as [(Double, String?)]
        {
            view.contentOffset.y = offset
            #expect(view.contentOffset.y == offset)
            let line = lines(of: view).first { $0.contains("·") }
            if let position {
                #expect(line?.contains("· \(position) ·") == true, "\(offset)")
            } else {
                #expect(line == nil, "\(offset)")
            }
        }
    }
}
