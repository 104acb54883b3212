#include "apps/copse/periods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse {
namespace {

using ::testing::ElementsAre;

TEST(Periods, YearsHaveNoGaps) {
  const Periods periods = periods_of({"1993", "1990", "", "1993"});
  EXPECT_THAT(periods.names, ElementsAre("1990", "1991", "1992", "1993"));
  EXPECT_THAT(periods.places, ElementsAre(3, 0, -1, 3));
  EXPECT_EQ(periods.unknown, 0);
}

TEST(Periods, FewDaysStayDays) {
  const Periods periods = periods_of({"2020-02-28T23:59:59Z", "2020-03-01", "20200229"});
  EXPECT_THAT(periods.names, ElementsAre("2020-02-28", "2020-02-29", "2020-03-01"));
  EXPECT_THAT(periods.places, ElementsAre(0, 2, 1));
}

TEST(Periods, ManyDaysBecomeMonthsAndManyMonthsYears) {
  EXPECT_THAT(periods_of({"2019-12-31", "2020-03-02"}).names, ElementsAre("2019-12", "2020-01", "2020-02", "2020-03"));
  EXPECT_EQ(periods_of({"2001-01-01", "2010-01-01"}).names.size(), 10u);
}

TEST(Periods, AreNotFinerThanWhatIsKnown) {
  EXPECT_THAT(periods_of({"2020-02", "2020-03-04"}).names, ElementsAre("2020-02", "2020-03"));
  EXPECT_THAT(periods_of({"2020", "2020-03-04"}).names, ElementsAre("2020"));
}

TEST(Periods, SecondsAndMillisecondsCountFrom1970) {
  EXPECT_THAT(periods_of({"951782400", "951782400000", "951782399"}).names, ElementsAre("2000-02-28", "2000-02-29"));
}

TEST(Periods, WhatIsNotUnderstoodIsCounted) {
  const Periods periods = periods_of({"yesterday", "2020-13-01", "2020-02-30", "12", "2020-02-2"});
  EXPECT_TRUE(periods.names.empty());
  EXPECT_EQ(periods.unknown, 5);
}

}  // namespace
}  // namespace copse
