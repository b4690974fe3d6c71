import ControllerKit

/// Data source that has no further pages.
final class EmptyPageSource: PageViewControllerDataSource {
    func pageViewController(
        _ controller: PageViewController, viewControllerBefore page: ViewController
    ) -> ViewController? { nil }

    func pageViewController(
        _ controller: PageViewController, viewControllerAfter page: ViewController
    ) -> ViewController? { nil }
}
